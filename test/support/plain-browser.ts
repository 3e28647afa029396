/** A request of a page. */
export type PageRequest = { method?: string; body?: unknown; headers?: Record<string, string> };

export type PageResponse = {
  status: number;
  headers: Headers;
  location: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads responses of every shape
  body: any;
};

type Cookie = { name: string; value: string; isStrict: boolean };

/**
 * A browser that handles only cookies: they belong to a host, whatever its port, and a SameSite=Strict cookie is not
 * sent when another site links here.
 */
export class PlainBrowser {
  readonly #jars = new Map<string, Cookie[]>();

  /** Returns the cookies of the host of a URL, by name. */
  cookies(url: string): Record<string, string> {
    return Object.fromEntries((this.#jars.get(new URL(url).hostname) ?? []).map(({ name, value }) => [name, value]));
  }

  /** Every Set-Cookie header that it received. */
  readonly setCookies: string[] = [];

  /** Removes all cookies of a host. */
  forget(url: string): void {
    this.#jars.delete(new URL(url).hostname);
  }

  /** Returns another browser with the same cookies. */
  copy(): PlainBrowser {
    const other = new PlainBrowser();
    for (const [host, jar] of this.#jars) other.#jars.set(host, [...jar]);
    return other;
  }

  /** Sends a request of a same-origin page. */
  call(url: string, { method = 'GET', body, headers = {} }: PageRequest = {}): Promise<PageResponse> {
    return this.#send(url, method, body, true, {
      'sec-fetch-site': 'same-origin',
      'x-fleetwatch': 'console',
      ...(method !== 'GET' && { origin: new URL(url).origin, 'content-type': 'application/json' }),
      ...headers,
    });
  }

  /** Loads a page that another site linked to. Does not follow redirects. */
  visit(url: string): Promise<PageResponse> {
    return this.#send(url, 'GET', undefined, false, { 'sec-fetch-site': 'cross-site' });
  }

  /** Loads a page and follows its redirects until one leads below `to`. @returns that URL, which is not loaded */
  async follow(url: string, to: string): Promise<string> {
    let at = url;
    for (let hops = 0; hops < 10; hops++) {
      if (at.startsWith(to)) return at;
      const { location, status, body } = await this.visit(at);
      if (!location) throw new Error(`${at} returned ${status} without a redirect: ${JSON.stringify(body)}`);
      at = new URL(location, at).href;
    }
    throw new Error(`${url} redirected too often, last to ${at}`);
  }

  async #send(url: string, method: string, body: unknown, isSameSite: boolean, headers: Record<string, string>) {
    const { hostname } = new URL(url);
    const jar = this.#jars.get(hostname) ?? [];
    const sent = jar.filter(({ isStrict }) => isSameSite || !isStrict).map(({ name, value }) => `${name}=${value}`);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(sent.length > 0 && { cookie: sent.join('; ') }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const text of response.headers.getSetCookie()) this.#take(hostname, text);
    const answered = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      body: isJson && answered !== '' ? JSON.parse(answered) : answered,
    };
  }

  #take(hostname: string, text: string): void {
    this.setCookies.push(text);
    const [pair = '', ...attributes] = text.split(/; */);
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(name.length + 1);
    const jar = (this.#jars.get(hostname) ?? []).filter((one) => one.name !== name);
    const isGone = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=Thu, 01 Jan 1970/i.test(one));
    if (!isGone) jar.push({ name, value, isStrict: attributes.some((one) => /^samesite=strict$/i.test(one)) });
    this.#jars.set(hostname, jar);
  }
}
