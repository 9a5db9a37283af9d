import type { Settings } from '../options.ts';
import type { FixtureTool } from './fixture-tool.ts';
import type { GatewayTool } from './gateway-tool.ts';
import type { StorageTool } from './storage-tool.ts';
import type { Evidence } from './to-evidence.ts';
import type { UploadTool } from './upload-tool.ts';

/** What a check is given. */
export interface Trial {
  readonly settings: Settings;
  readonly gateway: GatewayTool;
  /** The fixture service behind the gateway; for checks that need `fixture`. */
  readonly fixture: FixtureTool;
  readonly storage: StorageTool;
  readonly upload: UploadTool;
  /** Ends with the run. */
  readonly signal: AbortSignal;
  /**
   * Tests a statement about an answer and goes on, whether it holds or not.
   *
   * @param message what the contract says and what came instead: `the status must be 404, not 200`
   * @param exchange the evidence. Default: the last call of this check
   */
  expect(holds: boolean, message: string, exchange?: Evidence): void;
  /** Like `expect`, but ends the check where it does not hold. */
  require(holds: boolean, message: string, exchange?: Evidence): asserts holds;
  /**
   * Ends the check where its preparation did not work; the result is a skip, never a failure.
   *
   * @param reason why: `no file could be uploaded`
   */
  reach(holds: boolean, reason: string): asserts holds;
  /**
   * Ends the check where its rule is about something that a target need not have; the result is disabled.
   *
   * @param reason what it does not have: `the gateway takes no multipart/form-data`
   */
  apply(applies: boolean, reason: string): asserts applies;
  /** Tells the operator something that decides nothing. */
  note(text: string): void;
  /** A name that no other check and no other run uses: letters, digits and hyphens. */
  uniqueName(): string;
}
