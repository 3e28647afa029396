import { isIPv6 } from 'node:net';
import type { OwnVpc } from '#lib/aws/environment.ts';
import type { Resolve } from '#lib/net/egress.ts';
import { type HostRequest, type Net, NetError } from '#lib/net/net.ts';
import { makeNet } from '#lib/net/node-net.ts';
import { systemResolver } from '#lib/net/system-resolver.ts';
import type { Settings } from '#lib/settings.ts';

const IPV6_HINT = 'the operator can open IPv6 (VPC_IPV6)';
const VPC_HINT = 'the operator can run checks in a VPC (VPC_ID) that has a route to it';

/**
 * Returns the network of a function without IPv6. A check fails if its target has only IPv6 addresses, or if it uses
 * port 25 outside a VPC; its error then names this limit instead of blaming the target.
 */
export function lambdaNet(settings: Settings, inVpc: boolean, resolve: Resolve = systemResolver()): Net {
  const hint = inVpc ? IPV6_HINT : VPC_HINT;
  const net = makeNet(settings, withoutIpv6(resolve, hint));
  const assertReachable = async ({ host, timeout_ms, egress }: HostRequest, port?: number): Promise<void> => {
    const address = host.replace(/^\[(.*)\]$/, '$1');
    if (isIPv6(address)) {
      // An egress refusal comes first.
      await net.guard({ host, timeout_ms, egress });
      throw unreachable(`${address} is an IPv6 address, which AWS Lambda cannot reach; ${hint}`);
    }
    if (port === 25 && !inVpc)
      throw unreachable(
        `AWS blocks port 25; use 465 or 587, or the operator can run checks in a VPC (VPC_ID) for which AWS has lifted the block`,
      );
  };
  return {
    ...net,
    http: async (request) => {
      const url = URL.parse(request.url);
      if (url) await assertReachable({ ...request, host: url.hostname });
      return net.http(request);
    },
    open: async (request, work) => {
      await assertReachable(request, request.port);
      return net.open(request, work);
    },
    guard: async (request) => {
      await net.guard(request);
      await assertReachable(request);
    },
  };
}

/** Returns the network for connections to targets. In a VPC with IPv6, the limits of `lambdaNet` do not apply. */
export const outerNet = (settings: Settings, vpc: OwnVpc): Net =>
  vpc === 'ipv6' ? makeNet(settings) : lambdaNet(settings, vpc === 'ipv4');

const unreachable = (reason: string): NetError => new NetError('egress', `refused: ${reason}`);

const withoutIpv6 =
  (resolve: Resolve, hint: string): Resolve =>
  async (name) => {
    const addresses = await resolve(name);
    const reachable = addresses.filter((address) => !isIPv6(address));
    if (addresses.length > 0 && reachable.length === 0) {
      throw unreachable(`${name} has only IPv6 addresses, which AWS Lambda cannot reach; ${hint}`);
    }
    return reachable;
  };
