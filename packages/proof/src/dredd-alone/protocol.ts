/** The message to the Dredd process: what to run. */
export interface Order {
  /** Texts of OpenAPI 3.0 documents. */
  documents: string[];
  /** URL of both APIs. */
  endpoint: string;
  /** Headers for storage calls. */
  headers: Record<string, string>;
  gatewayHeaders: Record<string, string>;
  /** Hosted service to call. */
  service: string;
}

/** The message in which the Dredd process reports its findings. */
export interface Found {
  /** Names of the transactions that failed. */
  failed: string[];
  error?: string;
}
