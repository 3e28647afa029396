/** What a test asks for, as a page does. */
export type PageRequest = { method?: string; body?: unknown; headers?: Record<string, string> };

export type PageAnswer = {
  status: number;
  headers: Headers;
  location: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  body: any;
};

type Cookie = { name: string; value: string; isStrict: boolean };

/**
 * A browser as far as cookies go: they belong to a host, whatever its port, and one that is SameSite=Strict stays
 * behind when another site leads here.
 */
export class PlainBrowser {
  readonly #jars = new Map<string, Cookie[]>();

  /** What it would send to that host. */
  cookies(url: string): Record<string, string> {
    return Object.fromEntries((this.#jars.get(new URL(url).hostname) ?? []).map(({ name, value }) => [name, value]));
  }

  /** Every header Set-Cookie that it was ever sent. */
  readonly told: string[] = [];

  /** Drops all that it holds of a host. */
  forget(url: string): void {
    this.#jars.delete(new URL(url).hostname);
  }

  /** Another browser that holds the same. */
  copy(): PlainBrowser {
    const other = new PlainBrowser();
    for (const [host, jar] of this.#jars) other.#jars.set(host, [...jar]);
    return other;
  }

  /** A call of a page of the same origin. */
  call(url: string, { method = 'GET', body, headers = {} }: PageRequest = {}): Promise<PageAnswer> {
    return this.#send(url, method, body, true, {
      'sec-fetch-site': 'same-origin',
      'x-fleetwatch': 'console',
      ...(method !== 'GET' && { origin: new URL(url).origin, 'content-type': 'application/json' }),
      ...headers,
    });
  }

  /** A load of a page that another site led to. Redirects are the test's to follow. */
  visit(url: string): Promise<PageAnswer> {
    return this.#send(url, 'GET', undefined, false, { 'sec-fetch-site': 'cross-site' });
  }

  /** The same, and on along redirects until one leads below `to`, which is not loaded. @returns that address */
  async follow(url: string, to: string): Promise<string> {
    let at = url;
    for (let hops = 0; hops < 10; hops++) {
      if (at.startsWith(to)) return at;
      const { location, status, body } = await this.visit(at);
      if (!location) throw new Error(`${at} answered ${status} and led nowhere: ${JSON.stringify(body)}`);
      at = new URL(location, at).href;
    }
    throw new Error(`${url} led to ever more addresses, the last ${at}`);
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
    this.told.push(text);
    const [pair = '', ...attributes] = text.split(/; */);
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(name.length + 1);
    const jar = (this.#jars.get(hostname) ?? []).filter((one) => one.name !== name);
    const isGone = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=Thu, 01 Jan 1970/i.test(one));
    if (!isGone) jar.push({ name, value, isStrict: attributes.some((one) => /^samesite=strict$/i.test(one)) });
    this.#jars.set(hostname, jar);
  }
}
