/** What the reader chooses from, and the worker serves. */

/** The hosted services. */
export const SERVICE_NAMES = ['hello', 'echo', 'clock'] as const;

/** Request header that names the fault to inject into a call. */
export const FAULT_HEADER = 'x-playground-fault';

/** The faults by name. */
export const FAULTS = {
  busy: '429 with Retry-After',
  failed: '500',
  slow: 'Response after 3 s',
  cut: 'Connection lost in the middle of the body',
} as const;

/** Path of the API, below the folder of the playground. Everything else there is the site. */
export const API_PATH = 'live';
