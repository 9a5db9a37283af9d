import type { Choices } from '../choices.ts';
import type { KeyPair } from './verify-signature.ts';

/** What a gateway knows. */
export interface GatewaySettings {
  env: string;
  /** Hosted services: name → address. */
  services: Map<string, URL>;
  /** Names of services that nobody may call. */
  forbidden: Set<string>;
  /** Tokens that somebody got: token → whose it is. */
  tokens: Map<string, { env: string; expires: number }>;
  keyPair: KeyPair;
  /** Whether `multipart/form-data` is taken. */
  forms: Choices['forms'];
  nextRequestId: () => string;
}
