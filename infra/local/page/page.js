// The page of a single machine: the ways in, passkeys, and sessions. It holds no secret: the session is in a cookie that
// no script sees, and what stands behind # in its address is used once.

const $ = (id) => document.getElementById(id);
const say = (text) => {
  $('told').textContent = text;
};

/** Calls the API as this page; throws an Error with what it says. */
async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { 'x-fleetwatch': 'console', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = response.status === 204 ? null : await response.json();
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.error ?? response.statusText), { status: response.status });
}

/** What a browser says of authenticators, in words for people (WebAuthn level 3, section 14.5.1). */
const BROWSER_ERRORS = {
  NotAllowedError: 'Nothing was done: it was cancelled, took too long, or the authenticator did not know you.',
  InvalidStateError: 'This authenticator has a passkey of yours already. Use another one.',
};

/** Runs what a person asked for, and shows what went wrong. */
const tried = (work) => async (event) => {
  event.preventDefault();
  say('');
  const { target } = event;
  try {
    await work(target);
  } catch (error) {
    say(BROWSER_ERRORS[error.name] ?? error.message);
  }
};

const on = (id, type, work) => $(id).addEventListener(type, tried(work));
const value = (form, name) => new FormData(form).get(name).trim();

/** Shows one section, and those that belong to it. */
function show(...ids) {
  for (const section of document.querySelectorAll('section')) section.hidden = !ids.includes(section.id);
}

/** What stands behind # in the address: `#/link/<token>`, `#/invitation/<token>`, `#/sign-in?error=<why>`. */
function place() {
  const [path, query] = location.hash.slice(1).split('?');
  const [, name = '', token = ''] = path.split('/');
  return { name, token, error: new URLSearchParams(query).get('error') };
}

/** A token is not left in the history. */
const forgetPlace = () => history.replaceState(null, '', location.pathname);

const item = (text, label, work) => {
  const line = document.createElement('li');
  line.textContent = text;
  if (label) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    button.addEventListener('click', tried(work));
    line.append(button);
  }
  return line;
};

const SIGN_IN_ERRORS = {
  denied: 'The identity provider was told no.',
  failed: 'The sign-in failed. The log of the service says why.',
  unreachable: 'The identity provider cannot be reached at the moment.',
  expired: 'That sign-in took too long, or was begun elsewhere. Try again.',
  not_invited: 'You are not a member here. Ask an admin for an invitation.',
  email_not_verified: 'The identity provider does not vouch for your e-mail address.',
  already_linked: 'At the identity provider you are another user of this account.',
  account_disabled: 'The account was disabled by the operator of this service.',
};

let methods;

async function render() {
  methods ??= await call('GET', '/v1/sign-in/methods');
  const { passkey, oidc } = methods;
  $('by-passkey').disabled = !passkey.available;
  for (const id of ['why-no-passkey', 'why-no-new-passkey']) $(id).textContent = passkey.reason ?? '';
  for (const id of ['by-oidc', 'accept-oidc']) $(id).hidden = !oidc;
  for (const name of document.querySelectorAll('.provider')) name.textContent = oidc?.name ?? '';
  const { name, error } = place();
  if (error) say(SIGN_IN_ERRORS[error] ?? 'The sign-in failed.');
  if (name === 'link' || name === 'invitation') return show(name);
  const me = await call('GET', '/v1/me').catch((failure) => {
    if (failure.status === 401) return undefined;
    throw failure;
  });
  if (!me) return show('sign-in');
  await renderSignedIn(me);
  show('signed-in');
}

async function renderSignedIn(me) {
  $('who').textContent = `${me.user?.name ?? me.name}, ${me.role} of ${me.name}`;
  $('add-passkey').querySelector('button').disabled = !methods.passkey.available;
  $('identity').hidden = !methods.oidc;
  $('sessions').replaceChildren(
    ...(await own('/v1/sessions')).map((session) =>
      item(
        `${session.method}, ${session.user_agent || 'no browser'}, ${session.last_seen_at}` +
          (session.current ? ' (this one)' : ''),
        session.current ? '' : 'End',
        () => change('DELETE', `/v1/sessions/${session.id}`),
      ),
    ),
  );
  $('passkeys').replaceChildren(
    ...(await own('/v1/sign-in/passkeys')).map((passkey) =>
      item(passkey.name, 'Remove', () => change('DELETE', `/v1/sign-in/passkeys/${passkey.id}`)),
    ),
  );
  if (!methods.oidc) return;
  $('identities').replaceChildren(
    ...(await own('/v1/sign-in/identities')).map((identity) =>
      item(identity.name || identity.subject, 'Remove', () =>
        change('DELETE', `/v1/sign-in/identities/${identity.id}`),
      ),
    ),
  );
}

/** A list that is one's own; none for the session of a key that may only read. */
const own = (path) =>
  call('GET', path).catch((failure) => {
    if (failure.status === 403) return [];
    throw failure;
  });

async function change(method, path, body) {
  await call(method, path, body);
  await render();
}

async function toProvider(body) {
  const { url } = await call('POST', '/v1/sign-in/oidc', body);
  location.assign(url);
}

on('use-link', 'click', async () => {
  const { token } = place();
  forgetPlace();
  await call('POST', '/v1/sign-in/link', { token }).finally(render);
  say(methods.passkey.reason ?? 'You are in. Add a passkey, so that you need no link the next time.');
});

on('accept', 'submit', async (form) => {
  const { token } = place();
  await call('POST', '/v1/invitations/accept', { token, name: value(form, 'name'), key: false, session: true });
  forgetPlace();
  await render();
  say(methods.passkey.reason ?? 'You are in. Add a passkey, so that you can sign in again.');
});

on('accept-oidc', 'click', () => toProvider({ token: place().token }));
on('by-oidc', 'click', () => toProvider({}));
on('link-oidc', 'click', () => toProvider({ purpose: 'link' }));

on('by-key', 'submit', async (form) => {
  await call('POST', '/v1/sign-in/key', { key: value(form, 'key') });
  form.reset();
  await render();
});

on('by-passkey', 'click', async () => {
  const options = await call('POST', '/v1/sign-in/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  await change('POST', '/v1/sign-in/passkey', { response: credential.toJSON() });
});

on('add-passkey', 'submit', async (form) => {
  const options = await call('POST', '/v1/sign-in/passkeys/options');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  await change('POST', '/v1/sign-in/passkeys', { name: value(form, 'name'), response: credential.toJSON() });
  form.reset();
});

on('sign-out', 'click', () => change('DELETE', '/v1/session'));
on('end-others', 'click', () => change('DELETE', '/v1/sessions'));

addEventListener('hashchange', tried(render));
render().catch((error) => say(error.message));
