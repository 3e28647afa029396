import { channelTypeOf } from '#lib/channels/registry.ts';
import * as chats from '#test/support/vendors/chats.ts';
import { matrix } from '#test/support/vendors/matrix.ts';
import * as pagers from '#test/support/vendors/pagers.ts';
import type { Vendor } from '#test/support/vendors/vendor.ts';

/** Returns the first example of a channel type. Its vendor below accepts the credentials in it. */
export const configOf = (type: string): Record<string, string> => channelTypeOf(type)!.examples.valid[0];
const og = configOf('opsgenie');
const tw = configOf('twilio');
const po = configOf('pushover');
const go = configOf('gotify');
const tg = configOf('telegram');
const mx = configOf('matrix');

/** Dedup keys of the open incidents of PagerDuty. */
export const incidents = new Set<string>();
/** Aliases of the open alerts of Opsgenie. */
export const genieAlerts = new Set<string>();
/** Event ids of the messages in Matrix, by transaction id. */
export const events = new Map<string, string>();
/** Host and vendor of each channel type. */
export const vendorOf: Record<string, [host: string, vendor: Vendor]> = {
  slack: ['hooks.slack.com', chats.slack],
  discord: ['discord.com', chats.discord],
  pagerduty: ['events.pagerduty.com', pagers.pagerDuty(incidents)],
  opsgenie: ['api.opsgenie.com', pagers.opsgenie(og.api_key!, genieAlerts)],
  teams: [new URL(configOf('teams').url!).host, chats.teams],
  telegram: ['api.telegram.org', chats.telegram(tg.bot_token!, tg.chat_id!)],
  googlechat: ['chat.googleapis.com', chats.googleChat],
  mattermost: ['mattermost.example.com', chats.mattermost],
  pushover: ['api.pushover.net', pagers.pushover(po.user!)],
  gotify: ['gotify.example.com', pagers.gotify(go.token!)],
  matrix: ['matrix.example.com', matrix(mx.access_token!, mx.room_id!, events)],
  twilio: ['api.twilio.com', pagers.twilio(tw.account_sid!, tw.auth_token!)],
};
export const types = Object.keys(vendorOf);
