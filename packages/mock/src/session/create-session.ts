import { createFaultRules } from '../faults/create-fault-rules.ts';
import type { FaultRule } from '../faults/fault.ts';
import type { Contents } from '../files/contents.ts';
import { createFileStore } from '../files/file-store.ts';
import { createGrants } from '../files/grants.ts';
import { createLinks } from '../files/links.ts';
import type { Room } from '../files/room.ts';
import { createSign } from '../files/sign.ts';
import { createRequestLog, type LogRoom } from '../requests/create-request-log.ts';
import { createServiceStates } from '../services/create-service-states.ts';
import { createClock } from './create-clock.ts';
import type { Session } from './session.ts';

export interface SessionParts {
  /** Signs grants and links. */
  readonly secret: Buffer;
  readonly seed: string;
  /** Faults that it begins with. */
  readonly faults: readonly FaultRule[];
  readonly room: Room;
  /** What the logs of all sessions share. */
  readonly logRoom: LogRoom;
  /** Where the files of a session are. */
  readonly contentsOf: (session: string) => Contents;
}

/** A session in which nothing has happened yet. */
export function createSession(
  id: string,
  { secret, seed, faults, room, logRoom, contentsOf }: SessionParts,
): Session {
  const clock = createClock();
  const now = () => clock.now();
  const sign = createSign(secret, id);
  return {
    id,
    clock,
    files: createFileStore({ contents: contentsOf(id), room, now }),
    grants: createGrants(sign, now),
    links: createLinks(sign, id, now),
    faults: createFaultRules({ seed, clock, rules: faults }),
    requests: createRequestLog(logRoom),
    services: createServiceStates(clock),
    replayed: new Map(),
  };
}
