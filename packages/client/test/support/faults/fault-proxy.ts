import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createRandom, type Random } from './random.ts';

/** What happens to a response, from a certain byte on. */
const RESPONSE_FAULTS = ['reset', 'end', 'stall', 'delay', 'drip', 'reorder', 'repeat'] as const;
/** What happens to a connection before a response. */
const REQUEST_FAULTS = ['refuse', 'cut', 'delay'] as const;

type ResponseFault = (typeof RESPONSE_FAULTS)[number] | 'none';
type Request = (typeof REQUEST_FAULTS)[number] | 'none';

/** The faults of one connection. */
interface Plan {
  readonly request: Request;
  readonly requestAt: number;
  readonly response: ResponseFault;
  readonly responseAt: number;
  readonly delay: number;
}

function toPlan(random: Random): Plan {
  const spoilsRequest = random.chance(0.2);
  const spoilsResponse = random.chance(0.5);
  // Heads are short and bodies long, so every order of magnitude is equally likely.
  const place = (exponent: number) => Math.floor(10 ** (random.next() * exponent)) - 1;
  return {
    request: spoilsRequest ? random.pick(REQUEST_FAULTS) : 'none',
    requestAt: place(3.5),
    response: spoilsResponse ? random.pick(RESPONSE_FAULTS) : 'none',
    responseAt: place(5),
    delay: random.whole(1, 250),
  };
}

/**
 * A TCP proxy that resets, ends, stalls, delays, reorders and repeats responses and cuts off requests,
 * on about every second connection, and always in the same way for the same seed.
 */
export async function startFaultProxy(port: number, seed: number) {
  const sockets = new Set<Socket>();
  const plans: Plan[] = [];
  let isAltered = false;

  const server = createServer((client) => {
    const plan = toPlan(createRandom(seed * 1_000 + plans.length));
    plans.push(plan);
    keep(client);
    if (plan.request === 'refuse') return void client.resetAndDestroy();
    const origin = keep(connect(port, '127.0.0.1'));
    const breakBoth = () => {
      client.resetAndDestroy();
      origin.resetAndDestroy();
    };
    passRequest(client, origin, plan, breakBoth).catch(breakBoth);
    passResponse(origin, client, plan, breakBoth).catch(breakBoth);
  });

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  async function passResponse(from: Socket, to: Socket, plan: Plan, breakBoth: () => void) {
    let passed = 0;
    for await (const chunk of from as AsyncIterable<Buffer>) {
      const at = plan.responseAt - passed;
      passed += chunk.length;
      if (plan.response === 'none' || at < 0 || at >= chunk.length) {
        await write(to, chunk);
        continue;
      }
      await write(to, chunk.subarray(0, at));
      const rest = chunk.subarray(at);
      if (plan.response === 'reset') return breakBoth();
      if (plan.response === 'end') break;
      if (plan.response === 'stall') return;
      for (const piece of toPieces(rest, plan)) {
        if (plan.response === 'delay') await setTimeout(plan.delay);
        await write(to, piece);
        if (plan.response === 'drip') await setImmediate();
      }
      if (plan.response === 'reorder' || plan.response === 'repeat') isAltered = true;
    }
    to.end();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns the faults of all connections, to report with the seed. */
    plans: () => plans.map(describePlan).join('; '),
    /** Whether bytes have arrived that the server did not send. */
    isAltered: () => isAltered,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function passRequest(from: Socket, to: Socket, plan: Plan, breakBoth: () => void) {
  let passed = 0;
  for await (const chunk of from as AsyncIterable<Buffer>) {
    if (plan.request === 'cut' && passed + chunk.length > plan.requestAt) {
      await write(to, chunk.subarray(0, plan.requestAt - passed));
      return breakBoth();
    }
    if (plan.request === 'delay' && passed === 0) await setTimeout(plan.delay);
    passed += chunk.length;
    await write(to, chunk);
  }
  to.end();
}

/** Splits the bytes of a response into the pieces in which they are forwarded. */
function toPieces(rest: Buffer, { response }: Plan): Buffer[] {
  const half = Math.ceil(Math.min(rest.length, 200) / 2);
  const [first, second] = [rest.subarray(0, half), rest.subarray(half, 2 * half)];
  if (response === 'reorder') return [second, first, rest.subarray(2 * half)];
  if (response === 'repeat') return [rest, rest];
  if (response === 'delay') return [rest];
  const bytes = [...rest.subarray(0, 100)].map((byte) => Buffer.of(byte));
  return [...bytes, rest.subarray(100)];
}

async function write(to: Socket, bytes: Buffer): Promise<void> {
  if (to.destroyed || !to.writable || bytes.length === 0) return;
  if (to.write(bytes)) return;
  await new Promise<void>((resolve) => {
    to.once('drain', resolve);
    to.once('close', resolve);
  });
}

const describePlan = ({ request, requestAt, response, responseAt, delay }: Plan) =>
  `${request}@${requestAt} ${response}@${responseAt} (${delay} ms)`;
