import { isIPv6 } from 'node:net';
import type { Resolve } from '#lib/net/egress.ts';
import { type HostRequest, type Net, NetError } from '#lib/net/net.ts';
import { makeNet } from '#lib/net/node-net.ts';
import { systemResolver } from '#lib/net/system-resolver.ts';
import type { Settings } from '#lib/settings.ts';

const WAY_OUT = 'the operator can run checks in a VPC (VPC_ID) that has a way there';

/**
 * The network as a function sees it that stands in no VPC: without IPv6, and with port 25 closed. Whoever checks such a
 * target is told so, as it would look down for ever.
 */
export function lambdaNet(settings: Settings, resolve: Resolve = systemResolver()): Net {
  const net = makeNet(settings, withoutIpv6(resolve));
  const checked = async ({ host, timeout_ms, egress }: HostRequest, port?: number): Promise<void> => {
    const address = host.replace(/^\[(.*)\]$/, '$1');
    if (isIPv6(address)) {
      // Where it may not go at all is said first.
      await net.guard({ host, timeout_ms, egress });
      throw unreachable(`${address} is an IPv6 address, which AWS Lambda cannot reach; ${WAY_OUT}`);
    }
    if (port === 25) throw unreachable(`AWS lets nobody out to port 25; check 465 or 587, or ${WAY_OUT}`);
  };
  return {
    ...net,
    http: async (request) => {
      const url = URL.parse(request.url);
      if (url) await checked({ ...request, host: url.hostname });
      return net.http(request);
    },
    open: async (request, work) => {
      await checked(request, request.port);
      return net.open(request, work);
    },
    guard: async (request) => {
      await net.guard(request);
      await checked(request);
    },
  };
}

/** The network of a function that reaches out: in a VPC of the operator's as that has it. */
export const outerNet = (settings: Settings, inVpc: boolean): Net => (inVpc ? makeNet(settings) : lambdaNet(settings));

const unreachable = (reason: string): NetError => new NetError('egress', `refused: ${reason}`);

/** Addresses that cannot be reached are not tried. */
const withoutIpv6 =
  (resolve: Resolve): Resolve =>
  async (name) => {
    const addresses = await resolve(name);
    const reachable = addresses.filter((address) => !isIPv6(address));
    if (addresses.length > 0 && reachable.length === 0) {
      throw unreachable(`${name} has IPv6 addresses alone, which AWS Lambda cannot reach; ${WAY_OUT}`);
    }
    return reachable;
  };
