import type { Runnable } from '../contract/catalog.ts';
import type { Caller } from '../http/caller.ts';
import { createAgents } from '../http/connection.ts';
import { createFixtureClient, type FixtureClient } from '../http/fixture-protocol.ts';
import {
  createGatewayClient,
  createStorageClient,
  type GatewayClient,
  type StorageClient,
} from './clients.ts';
import { Files } from './files.ts';
import type { Run } from './run.ts';

/** Clients for both APIs. */
export class CallContext {
  readonly run: Run;
  /** What makes the calls. */
  readonly runnable: Runnable | undefined;
  readonly caller: Caller;
  readonly gateway: GatewayClient;
  /** The fixture service behind the gateway, for checks that need `fixture`. */
  readonly fixture: FixtureClient;
  readonly storage: StorageClient;
  readonly files: Files;

  /** @param caller default: that of the run, whose end aborts its calls */
  constructor(run: Run, runnable?: Runnable, caller = run.caller) {
    this.run = run;
    this.runnable = runnable;
    const madeBy = runnable?.sentence ?? runnable?.case.id;
    const storesFiles = runnable?.needs.includes('writes');
    this.caller = caller.with({ maker: { madeBy, storesFiles } });
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

/** Runs `find` once per run, for the first check that needs it. If it throws, every such check ends the same way. */
export function oncePerRun<Result>(find: (t: CallContext) => Promise<Result>) {
  const found = new WeakMap<Run, Promise<Result>>();
  return (t: CallContext): Promise<Result> => {
    const result = found.get(t.run) ?? find(new CallContext(t.run, t.runnable));
    found.set(t.run, result);
    return result;
  };
}
