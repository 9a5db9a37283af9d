import type { Caller } from '../http/caller.ts';
import { createAgents } from '../http/connection.ts';
import { createFixtureClient, type FixtureClient } from '../http/fixture-protocol.ts';
import { Files } from './files.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import type { Run } from './run.ts';
import { createStorageClient, type StorageClient } from './storage-client.ts';

interface CallContextOptions {
  /** What repeats the calls: see `Call`. */
  madeBy?: string | undefined;
  /** Default: that of the run, whose end aborts its calls. */
  caller?: Caller;
}

/** Clients for both APIs. */
export class CallContext {
  readonly run: Run;
  readonly madeBy: string | undefined;
  /** Makes calls to any URL. */
  readonly caller: Caller;
  readonly gateway: GatewayClient;
  /** The fixture service behind the gateway, for checks that need `fixture`. */
  readonly fixture: FixtureClient;
  readonly storage: StorageClient;
  readonly files: Files;
  /** How long it waited for calls that another check makes, in milliseconds. */
  waitedMs = 0;

  constructor(run: Run, { madeBy, caller = run.caller }: CallContextOptions = {}) {
    this.run = run;
    this.madeBy = madeBy;
    this.caller = caller.with({ madeBy });
    this.gateway = createGatewayClient(run, this.caller);
    const call = (path: string) => this.gateway.call({ path });
    this.fixture = createFixtureClient(call, run.settings.timeoutMs);
    this.storage = createStorageClient(run, this.caller);
    const topic = (madeBy ?? 'probe').toLowerCase().replace(/[^a-z\d]+/g, '-');
    this.files = new Files(this, `${run.newFolder(topic)}/`);
  }

  /** Provides clients with one connection. A call may be repeated on a new one, so it must not change anything. */
  async onOneConnection(
    use: (clients: { gateway: GatewayClient; storage: StorageClient }) => Promise<void>,
  ): Promise<void> {
    const agents = createAgents(this.run.settings, true);
    const caller = this.caller.with({ agents });
    try {
      await use({
        gateway: createGatewayClient(this.run, caller),
        storage: createStorageClient(this.run, caller),
      });
    } finally {
      agents.http.destroy();
      agents.https.destroy();
    }
  }
}

/** Runs `find` once per run, in its own context. If it throws, every check that awaits it ends the same way. */
export function oncePerRun<Result>(find: (t: CallContext) => Promise<Result>) {
  const found = new WeakMap<Run, Promise<Result>>();
  return (t: CallContext): Promise<Result> => {
    const context = new CallContext(t.run, { madeBy: t.madeBy });
    const earlier = found.get(t.run);
    const started = performance.now();
    const result = earlier ?? find(context);
    found.set(t.run, result);
    return result.finally(() => {
      t.waitedMs += earlier ? performance.now() - started : context.waitedMs;
    });
  };
}
