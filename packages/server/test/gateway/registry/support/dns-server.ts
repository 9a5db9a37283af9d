import { once } from 'node:events';
import {
  createTCPServer,
  createUDPServer,
  type DnsHandler,
  Packet,
  type TCPServer,
  type UDPServer,
} from 'dns2';

const { A, AAAA, SRV } = Packet.TYPE;
const TYPES = { A, AAAA, SRV } as const;
type Type = keyof typeof TYPES;

interface Srv {
  priority?: number;
  weight?: number;
  port: number;
  target: string;
}

interface Writer {
  write(value: number, bits: number): void;
  /** Names that later ones may point to. */
  names?: unknown;
}

/** How the server behaves; `hold` delays responses until that changes. */
type Behaviour = 'answer' | 'servfail' | 'garbage' | 'silent' | 'hold';

/** A DNS server on a free loopback port, UDP and TCP, with responses from a table. */
export interface DnsServer {
  readonly address: string;
  /** The queries so far, such as `A web.test`. */
  readonly asked: string[];
  /** How many of them came over TCP. */
  readonly overTcp: () => number;
  behave(behaviour: Behaviour, name?: string): void;
  /** Resolves with the next query that gets no response. */
  nextHeld(): Promise<void>;
  setAddresses(name: string, addresses: readonly string[], ttl?: number): void;
  setSrv(name: string, rows: readonly Srv[]): void;
  remove(name: string): void;
  stop(): Promise<void>;
  start(): Promise<void>;
}

// RFC 2782: "name compression is not to be used for this field". dns2 does, and c-ares rejects it.
const codecs = Packet.Resource as unknown as Record<'SRV', { encode: typeof encodeSrv }>;
function encodeSrv(record: Required<Srv>, writer: Writer): void {
  for (const part of [record.priority, record.weight, record.port]) writer.write(part, 16);
  const { names } = writer;
  writer.names = undefined;
  Packet.Name.encode(record.target, writer as never);
  writer.names = names;
}
codecs.SRV.encode = encodeSrv;

export async function startDnsServer(): Promise<DnsServer> {
  const table = new Map<string, Map<Type, object[]>>();
  const asked: string[] = [];
  const behaviours = new Map<string, Behaviour>();
  let held: (() => void)[] = [];
  let onHeld = () => {};
  let everywhere: Behaviour = 'answer';
  let port = 0;
  let tcpQuestions = 0;
  let udp: UDPServer | undefined;
  let tcp: TCPServer | undefined;

  const handle: DnsHandler = (request, send, client) => {
    const [question] = request.questions;
    if (question === undefined) return;
    const name = question.name.toLowerCase();
    const type = (['A', 'AAAA', 'SRV'] as const).find((one) => TYPES[one] === question.type);
    asked.push(`${type} ${name}`);
    if ('remoteAddress' in client) tcpQuestions += 1;
    const behaviour = behaviours.get(name) ?? everywhere;
    if (behaviour === 'garbage') {
      send(Buffer.from('\xffnonsense\xff\x00', 'latin1'));
      return;
    }
    if (behaviour === 'silent' || behaviour === 'hold') {
      if (behaviour === 'hold') held.push(() => handle(request, send, client));
      onHeld();
      return;
    }
    const response = Packet.createResponseFromRequest(request);
    const records = table.get(name);
    if (behaviour === 'servfail') response.header.rcode = Packet.RCODE.SERVFAIL;
    else if (records === undefined) response.header.rcode = Packet.RCODE.NXDOMAIN;
    else {
      for (const record of (type && records.get(type)) ?? []) {
        const row = { name: question.name, type: question.type, class: Packet.CLASS.IN, ...record };
        response.answers.push(row as (typeof response.answers)[number]);
      }
    }
    send(response);
  };

  const start = async () => {
    // A port that is free for UDP may be in use for TCP: then the next one is tried.
    for (;;) {
      udp = createUDPServer();
      tcp = createTCPServer();
      for (const server of [udp, tcp]) {
        server.on('request', handle);
        server.on('requestError', () => {});
      }
      await udp.listen(port, '127.0.0.1');
      const taken = udp.address().port;
      tcp.listen(taken, '127.0.0.1');
      try {
        await once(tcp, 'listening');
        port = taken;
        return;
      } catch {
        udp.close();
      }
    }
  };
  await start();

  const records = (name: string) => {
    const found = table.get(name) ?? new Map<Type, object[]>();
    table.set(name, found);
    return found;
  };

  return {
    get address() {
      return `127.0.0.1:${port}`;
    },
    asked,
    overTcp: () => tcpQuestions,
    behave(behaviour, name) {
      if (name === undefined) everywhere = behaviour;
      else behaviours.set(name, behaviour);
      const waiting = held;
      held = [];
      for (const respond of waiting) respond();
    },
    nextHeld: () =>
      new Promise((resolve) => {
        onHeld = resolve;
      }),
    setAddresses(name, addresses, ttl = 30) {
      const of = (wanted: boolean) =>
        addresses
          .filter((address) => address.includes(':') === wanted)
          .map((address) => ({ address, ttl }));
      records(name).set('A', of(false)).set('AAAA', of(true));
    },
    setSrv(name, rows) {
      const full = rows.map((row) => ({ priority: 0, weight: 0, ttl: 30, ...row }));
      records(name).set('SRV', full);
    },
    remove: (name) => table.delete(name),
    async stop() {
      const closed = [udp, tcp].map((server) => server && once(server, 'close'));
      udp?.close();
      tcp?.close();
      await Promise.all(closed);
    },
    start,
  };
}
