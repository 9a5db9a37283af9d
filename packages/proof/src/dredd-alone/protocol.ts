/** What Dredd is to do. */
export interface Order {
  /** Texts of OpenAPI 3.0 documents. */
  documents: string[];
  /** Address of both APIs. */
  endpoint: string;
  /** Headers of storage calls. */
  headers: Record<string, string>;
  gatewayHeaders: Record<string, string>;
  /** Hosted service that is called. */
  service: string;
}

/** What it found. */
export interface Found {
  /** Names of the transactions that failed. */
  failed: string[];
  error?: string;
}
