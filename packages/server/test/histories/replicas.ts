import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { ConfigInput } from '../../src/index.ts';
import { type Cli, startConfigured } from '../server/support/cli.ts';
import { startListening } from '../server/support/hosted-service.ts';

/** The key pair of its only environment. */
export const PAIR = { id: 'me', secret: 'the-secret-of-me' };

/** A server process that can be killed, frozen and restarted. It ends with the test. */
export class Replica {
  readonly #config: string;
  #cli: Cli | undefined;
  /** Undefined while it is not running. */
  url: string | undefined;

  constructor(config: Partial<ConfigInput>) {
    this.#config = JSON.stringify({
      listen: { port: 0, shutdownSeconds: 1 },
      admin: { port: 0 },
      keys: [{ secret: 'a key that signs links and grants' }],
      environments: { dev: { credentials: [PAIR] } },
      ...config,
    });
  }

  async start(): Promise<void> {
    const { cli, url } = await startConfigured(this.#config);
    this.#cli = cli;
    this.url = url;
  }

  async kill(): Promise<void> {
    this.url = undefined;
    this.#cli?.child.kill('SIGKILL');
    await this.#cli?.finish();
  }

  async freeze(milliseconds: number): Promise<void> {
    this.#cli?.child.kill('SIGSTOP');
    await wait(milliseconds);
    this.#cli?.child.kill('SIGCONT');
  }
}

/** A connection to a store or to Redis that can be cut. It ends with the test. */
export class Cable {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #isCut = false;
  port = 0;

  constructor(target: number) {
    this.#server = createServer((socket) => {
      if (this.#isCut) return void socket.destroy();
      const upstream = connect(target, '127.0.0.1');
      for (const each of [socket, upstream]) {
        this.#sockets.add(each);
        each.setNoDelay().once('close', () => this.#sockets.delete(each));
      }
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        pipeline(from, (chunks) => this.#pass(chunks), to).catch(() => {
          socket.destroy();
          upstream.destroy();
        });
      }
    });
  }

  static async to(target: number): Promise<Cable> {
    const cable = new Cable(target);
    cable.port = Number(new URL(await startListening(cable.#server)).port);
    return cable;
  }

  /** Nothing passes for a while, and then all connections end. */
  async cut(milliseconds: number): Promise<void> {
    this.#isCut = true;
    await wait(milliseconds);
    for (const socket of this.#sockets) socket.destroy();
    this.#isCut = false;
  }

  async *#pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      // What is on its way when the cable is cut never arrives.
      if (this.#isCut) return void (await new Promise(() => {}));
      yield chunk;
    }
  }
}
