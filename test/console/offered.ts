import { endpointOf } from '#infra/docs/openapi.ts';
import { allRoutes } from '#lib/all-routes.ts';
import { type Guarded, isAllowed, type Rights } from '#lib/platform/http/access.ts';
import { paramsOf, routesAt } from '#lib/platform/http/match-path.ts';
import type { Person } from '#test/support/browser.ts';

/** Names of buttons that the test must not press: they end the session, or open dialogs of the browser. */
const NOT_PRESSED = /sign out|copy|passkey/i;

/**
 * Returns a script that selects all rows of a page, presses one button per name, and submits the dialogs that open.
 * Empty text fields of dialogs get the value 1.
 */
const pressAllScript = (address: string) => `(async () => {
  const home = '#' + ${JSON.stringify(address)};
  const turn = () => new Promise((done) => setTimeout(done));
  const rested = async () => {
    const began = Date.now();
    do await turn(); while (document.querySelector('.loading, [aria-busy=true]') && Date.now() < began + 5000);
    if (Date.now() >= began + 5000) throw new Error('Not at rest: ' + document.querySelector('.loading, [aria-busy=true]').outerHTML);
  };
  const nameOf = (one) => one.getAttribute('aria-label') ?? one.textContent;
  const usable = (within, kinds = '') => [...within.querySelectorAll('button' + kinds)].filter((one) =>
    !one.disabled && one.getAttribute('aria-disabled') !== 'true' && !${NOT_PRESSED}.test(nameOf(one)));
  const press = async (one) => {
    one.click();
    await rested();
  };
  const pressed = new Set();
  const next = (buttons) => {
    const one = buttons.find((button) => !pressed.has(nameOf(button)));
    if (one) pressed.add(nameOf(one));
    return one;
  };
  for (;;) {
    const all = document.querySelector('main thead input[type=checkbox]');
    if (all && !all.checked) await press(all);
    const one = next(usable(document.querySelector('main')));
    if (!one) return;
    await press(one);
    for (let offer = 0; document.querySelector('dialog'); offer++) {
      const dialog = [...document.querySelectorAll('dialog')].at(-1);
      for (const field of dialog.querySelectorAll('input:is([type=text], :not([type]))')) {
        if (field.value !== '') continue;
        field.value = '1';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
      await turn();
      // A relation is added only to a selected entity.
      const entity = /Add relation to/.test(dialog.textContent) && dialog.querySelector('[role=combobox]');
      if (entity) {
        entity.value = '';
        entity.dispatchEvent(new Event('input', { bubbles: true }));
        await turn();
        dialog.querySelector('[role=option]')?.click();
        await turn();
      }
      const offered = usable(dialog, ':is(.main, .danger)')[offer];
      if (!offered) break;
      await press(offered);
    }
    for (const dialog of document.querySelectorAll('dialog')) dialog.close();
    do await rested(); while (document.querySelector('dialog'));
    if (location.hash !== home) {
      const changed = new Promise((done) => addEventListener('hashchange', done, { once: true }));
      location.hash = home;
      await changed;
      await rested();
    }
  }
})()`;

const table = allRoutes.map((route) => ({ route, segments: route.path.split('/') }));

/** Finds the route of a request. Throws for an unknown route. */
function routeOf(method: string, url: string) {
  const path = new URL(url).pathname.split('/');
  const found = routesAt(table, path).find((one) => one.method === method && paramsOf(one, path));
  if (!found) throw new Error(`No route for ${method} ${url}.`);
  return found;
}

/** Endpoints whose form applies to all checks until the user selects some. A request for all checks needs `write`. */
const FOR_ALL_CHECKS = new Set(['POST /v1/notify/silences']);

/** Whether the rights allow an endpoint with the initial values of its form. */
export const isOpenTo = (rights: Rights, endpoint: string): boolean => {
  const { access } = allRoutes.find((row) => endpointOf(row) === endpoint)!;
  return access === 'open' || isAllowed(rights, FOR_ALL_CHECKS.has(endpoint) ? 'write' : (access as Guarded));
};

/** Records the endpoints with side effects that a page calls. The requests are intercepted. */
export async function watchOffers({ page }: Person) {
  const offered = new Set<string>();
  const refused: string[] = [];

  await page.route('**/v1/**', async (route) => {
    const request = route.request();
    if (request.method() === 'GET') return route.continue();
    offered.add(endpointOf(routeOf(request.method(), request.url())));
    const body = { code: 'VALIDATION_ERROR', error: 'Intercepted by the test.' };
    await route.fulfill({ status: 400, contentType: 'application/json', body: JSON.stringify(body) });
  });
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  return {
    offered,
    /** Requests that the API denied. */
    refused,
    pressAll: (address: string) => page.evaluate(pressAllScript(address)),
  };
}
