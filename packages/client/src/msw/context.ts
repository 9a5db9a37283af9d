import type { WireProfile } from '../wire-profile.ts';
import type { FileStore } from './files.ts';

/** An upload grant (D27). */
interface Grant {
  readonly key: string;
  readonly authorization: string;
  readonly storeFileID: string;
  readonly expires: number;
}

/** A temporary link (D22). */
interface Link {
  readonly key: string;
  readonly expires: number;
}

/** What all handlers share. */
export interface MswContext {
  readonly envId: string;
  readonly gatewayUrl: string;
  readonly storageUrl: string;
  readonly profile: WireProfile;
  readonly store: FileStore;
  /** Grants by their tokens. */
  readonly grants: Map<string, Grant>;
  /** Links by their signatures. */
  readonly links: Map<string, Link>;
}

/** Where uploads of these handlers go to, and their links, below the address of the storage API. */
export const UPLOAD_PATH = '/upload';
export const LINK_PATH = '/files/';

/** A pattern of whole addresses; they are compared without their queries. */
export function toPattern(baseUrl: string, pattern: string): RegExp {
  return new RegExp(`^${escapePattern(baseUrl)}${pattern}$`);
}

/** A text as the pattern that fits it alone. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
