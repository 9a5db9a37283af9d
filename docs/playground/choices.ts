/** What the reader chooses from, and the worker serves. */

/** The hosted services. */
export const SERVICE_NAMES = ['hello', 'echo', 'clock'] as const;

/** The faults of the mock that the worker knows, and what they do. */
export const FAULTS = {
  '': 'none',
  'code=SYS_ERR': 'code=SYS_ERR: status 500',
  'code=EXCEED_RATELIMIT': 'code=EXCEED_RATELIMIT: status 429, with Retry-After',
  'latency=3000': 'latency=3000: a response after 3 s',
  'truncate=20': 'truncate=20: a body that ends after 20 bytes',
} as const;

export const FAULT_HEADER = 'X-Mock-Fault';

/** Path of the API, below the folder of the playground. Everything else there is the site. */
export const API_PATH = 'live';

/** The address of the mock, which the programs of the docs call. */
export const EXAMPLE_URL = 'http://127.0.0.1:4010';
