import { onTestFinished } from 'vitest';
import {
  createRegistry,
  type DnsSource,
  type RegistryOptions,
} from '../../../../src/gateway/registry/create-registry.ts';
import type { Clock } from '../../../../src/gateway/registry/dns-lookup.ts';
import type { ServiceSettings } from '../../../../src/gateway/registry/service-registry.ts';
import { startDnsServer } from './dns-server.ts';

export const WEB: DnsSource = { type: 'A', name: 'web.test', port: 80, scheme: 'http' };
export const SRV: DnsSource = { type: 'SRV', name: '_http._tcp.web.test', scheme: 'http' };

/** The environment `dev` with these services. */
export const dev = (services: Readonly<Record<string, Partial<ServiceSettings>>>) => ({
  dev: { services },
});

/** A registry of one service `web`, its DNS server and its clock. */
export async function setUpDns(dns: DnsSource, options: RegistryOptions = {}) {
  const server = await startDnsServer();
  const clock = createManualClock();
  const errors: string[] = [];
  const registry = createRegistry({
    servers: [server.address],
    clock,
    onError: ({ message }) => errors.push(message),
    ...options,
  });
  registry.prepare(dev({ web: { dns } }))();
  onTestFinished(async () => {
    await registry.close();
    await server.stop();
  });

  const find = async () => {
    const service = await registry.find('dev', 'web');
    if (service === undefined) throw new TypeError('no service');
    return service;
  };
  /** The only version that is resolved with DNS. */
  const version = async () => {
    const [found] = (await find()).versions;
    if (found === undefined) throw new TypeError('no version');
    return found;
  };
  const origins = async () => (await version()).endpoints.map(({ origin }) => origin);
  return { server, clock, errors, registry, find, version, origins };
}

/** A clock that is advanced by hand. */
interface ManualClock extends Clock {
  /** Pending timers. */
  readonly timers: ReadonlySet<object>;
  /** Advances the clock, runs what is due, and waits until that has set its next timer. */
  pass(ms: number): Promise<void>;
  /** Advances the clock and runs what is due. */
  turn(ms: number): void;
  /** Resolves when the next timer is set. */
  nextTimer(): Promise<void>;
}

export function createManualClock(): ManualClock {
  let time = 1_000_000;
  let onTimer = () => {};
  const timers = new Set<{ at: number; task: () => void }>();

  const turn = (ms: number) => {
    time += ms;
    for (const timer of timers) {
      if (timer.at > time) continue;
      timers.delete(timer);
      timer.task();
    }
  };
  const nextTimer = () =>
    new Promise<void>((resolve) => {
      onTimer = resolve;
    });

  return {
    timers,
    turn,
    nextTimer,
    now: () => time,
    after(ms, task) {
      const timer = { at: time + ms, task };
      timers.add(timer);
      // After the one that sets it has finished.
      setImmediate(onTimer);
      return () => timers.delete(timer);
    },
    async pass(ms) {
      const set = nextTimer();
      turn(ms);
      await set;
    },
  };
}
