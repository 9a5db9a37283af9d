/** Credentials for a mock with `auth: 'strict'`. The keys are public and protect nothing. */
export interface MockCredentials {
  /** An access token for the gateway, valid for 30 days by the machine's clock. */
  readonly token: string;
  /** A key pair for signatures (D16, D17). */
  readonly id: string;
  readonly secret: string;
}

export const KEY_PAIR = { id: 'berth-mock-id', secret: 'berth-mock-secret' } as const;

/** The key that signs every mock's tokens. */
export const TOKEN_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  alg: 'EdDSA',
  x: '93HI08EEDKYSuY5TTizRqwj1QQNFxMMD6DW3k20Aq28',
  d: 'lYssc8H-Pimjeo9chAIR1KzXBxwEOMce0dYd1Op8xdI',
} as const;
