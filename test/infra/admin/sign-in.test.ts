import { describe, expect, it } from 'vitest';
import { adminCli } from '#test/support/admin-cli.ts';
import { pageAt, signedInWith, tokenOf } from '#test/support/page.ts';

const { admin, as, create, dir, json, service } = adminCli();

describe('admin user link and session end', () => {
  it('creates single-use sign-in links for a new account, for its first admin and for a given user', async () => {
    const made = await create();
    const redeem = async (link: { url: string }) => {
      const page = pageAt(service().url);
      const answer = await page.post('/v1/sign-in/link', { token: tokenOf(link.url) });
      return { page, status: answer.status, user: answer.body.user?.id };
    };
    const adminId = (await as(made.key).get('/v1/me')).body.user.id;
    expect(made.sign_in_link).toMatchObject({
      user_id: adminId,
      url: expect.stringContaining('http://localhost:8787/#/'),
    });
    expect(Date.parse(made.sign_in_link.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect(await redeem(made.sign_in_link)).toMatchObject({ status: 201, user: adminId });

    const { invite_token, id } = (
      await as(made.key).post('/v1/settings/users/invite', { email: 'ben@example.com', role: 'viewer' })
    ).body;
    expect((await admin(['user', 'link', made.account.id, id])).err).toContain('has not accepted the invitation yet');
    await as('').post('/v1/invitations/accept', { token: invite_token, name: 'Ben' });
    expect(await redeem(await json('user', 'link', made.account.id, id))).toMatchObject({ status: 201, user: id });

    const { page } = await redeem(await json('user', 'link', made.account.id));
    expect((await page.get('/v1/me')).status).toBe(200);
    const { out } = await admin(['user', 'link', made.account.id, '--revoke'], {
      DATA_DIR: dir(),
      PUBLIC_URL: 'https://status.example.com',
    });
    expect(out).toMatch(/^sign in {2}https:\/\/status\.example\.com\/#\/link\/fwl_\w{43}\nThe link works once, until/);
    expect((await page.get('/v1/me')).status).toBe(401);
    expect((await admin(['user', 'link', made.account.id, 'usr_none'])).code).toBe(2);
    expect((await admin(['user', 'link', 'acc_none'])).code).toBe(2);
    expect((await admin(['user', 'link', made.account.id, id, 'more'])).err).toContain(
      'user link does not take "more"',
    );
    expect((await admin(['user', 'link'])).err).toContain('user link needs an account id');
    expect((await admin(['session', 'end', made.account.id, '--revoke'])).err).toContain('does not take --revoke');
  });

  it('ends the sessions of a user and of an account', async () => {
    const { account, key } = await create();
    const [one, two] = [await signedInWith(service().url, key), await signedInWith(service().url, key)];
    const { id } = (await one.get('/v1/me')).body.user;
    expect(await json('session', 'end', account.id, id)).toEqual({ ended: [id] });
    expect((await one.get('/v1/me')).status).toBe(401);
    expect((await two.get('/v1/me')).status).toBe(401);
    const three = await signedInWith(service().url, key);
    expect((await admin(['session', 'end', account.id])).out).toBe(
      `All sessions of account ${account.id} were ended.\n`,
    );
    expect((await three.get('/v1/me')).status).toBe(401);
    expect((await admin(['session', 'end', account.id, 'usr_none'])).code).toBe(2);
    expect((await as(key).get('/v1/me')).status).toBe(200);
  });
});
