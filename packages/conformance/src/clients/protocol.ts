import { StartError } from '../result.ts';

/**
 * What a driver is asked to do with its client, as a line of JSON on stdin. The guide for client conformance
 * explains each task.
 */
export type Task =
  | {
      task: 'call';
      method: 'GET' | 'POST';
      service: string;
      /** As the caller of a client writes it, including the query. Empty for the root of the service. */
      path: string;
      body?: unknown;
      /** `bearer` is the token, `key` a signature with the key pair. */
      auth: 'bearer' | 'key';
    }
  | { task: 'events'; service: string; path: string; count: number }
  | { task: 'upload'; path: string; content: string }
  | { task: 'download'; fileID: string }
  | { task: 'links' | 'delete'; fileIDs: readonly string[] }
  | { task: 'copy' | 'move'; files: readonly { srcPath: string; dstPath: string }[] };

/** An error that the client reports. All fields are optional. */
export interface TaskError {
  code?: string;
  status?: number;
  requestId?: string;
  message?: string;
}

/** What the driver reports, as a line of JSON on stdout. */
export type TaskReply =
  | { result: Readonly<Record<string, unknown>>; error?: undefined; unsupported?: undefined }
  | { error: TaskError; result?: undefined; unsupported?: undefined }
  | { unsupported: true; result?: undefined; error?: undefined };

/** Thrown if the driver does not follow the protocol. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/**
 * Parses a line that a driver printed.
 *
 * @throws ProtocolError that explains what is wrong with the line
 */
export function parseReply(line: string, id: number): TaskReply {
  let reply: Record<string, unknown>;
  try {
    reply = Object(JSON.parse(line));
  } catch {
    throw new ProtocolError(
      `the driver printed a line that is not JSON: ${cut(line)} (print logs to stderr)`,
    );
  }
  if (reply.id !== id) {
    throw new ProtocolError(`the id of the result must be ${id}: ${cut(line)}`);
  }
  const isRecord = (value: unknown) => typeof value === 'object' && value !== null;
  const kinds = ['result', 'error', 'unsupported'].filter((kind) => reply[kind] !== undefined);
  const [kind = ''] = kinds;
  const isValid = kind === 'unsupported' ? reply.unsupported === true : isRecord(reply[kind]);
  if (kinds.length === 1 && isValid) return { [kind]: reply[kind] } as unknown as TaskReply;
  throw new ProtocolError(
    `a result must have a result object, an error object, or "unsupported": true: ${cut(line)}`,
  );
}

/** The command that starts a driver did not work at all. */
export function notStarted(command: readonly string[], reason: string): StartError {
  return new StartError(`The command ${command[0]} cannot be used as a driver: ${reason}.`);
}

/** Shortens a text that is shown. */
export function cut(text: string, length = 300): string {
  return text.length > length ? `${text.slice(0, length)} …` : text;
}
