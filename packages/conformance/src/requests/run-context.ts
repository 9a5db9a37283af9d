import { randomBytes } from 'node:crypto';
import type { Settings } from '../options.ts';
import type { RequestForm } from './request-form.ts';

/** What the requests of one run share. */
export interface RunContext {
  settings: Settings;
  /** Random part of every name that the run makes up, so that nothing real is ever touched. */
  mark: string;
  /** The form of the storage requests; known before the first of them. */
  requestForm: RequestForm;
  /** File ID that the target gave for a path of this run; absent until it has. */
  fileId?: string | undefined;
}

export function createRunContext(settings: Settings): RunContext {
  return { settings, mark: randomBytes(4).toString('hex'), requestForm: 'top' };
}
