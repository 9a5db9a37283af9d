import type { Session } from '../session/session.ts';
import { toClockState } from './change-clock.ts';
import { Problem } from './problem.ts';
import { toStatesJson } from './service-states-json.ts';
import type { SessionSnapshot } from './session-snapshot.ts';

/** Bytes of all files together that a snapshot holds: a text of JavaScript has at most 2^29 characters. */
export const MAX_SNAPSHOT_BYTES = 350 * 1024 * 1024;

/** @throws Problem 409 where the files are too large for one text */
export function takeSnapshot({ clock, files, faults, services }: Session): SessionSnapshot {
  const stored = [...files.list()];
  const size = stored.reduce((sum, [, file]) => sum + file.size, 0);
  if (size > MAX_SNAPSHOT_BYTES) {
    throw new Problem(
      409,
      `The files have ${size} bytes, and a snapshot holds ${MAX_SNAPSHOT_BYTES}: delete some, or keep the folder of --dir instead.`,
    );
  }
  return {
    version: 1,
    clock: toClockState(clock),
    files: stored.map(([path, { contentType, modified, content }]) => ({
      path,
      contentType,
      modified: modified.toISOString(),
      base64: content.bytes().toString('base64'),
    })),
    faults: faults.state(),
    services: toStatesJson(services),
  };
}
