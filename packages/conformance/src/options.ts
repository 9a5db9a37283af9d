import { REQUEST_FORMS, type RequestForm } from './requests/request-form.ts';
import type { Result } from './result.ts';
import { StartError } from './start-error.ts';

/** An hour, in milliseconds. Timers of Node fire at once beyond 24 days. */
const LONGEST_TIMEOUT = 3_600_000;

/** What to check, and with which credentials. */
export interface ConformanceOptions {
  /** Base URL of the gateway, `https://dev.gateway.example`. */
  gatewayUrl: string;
  /** Base URL of the storage API, without `/api/v2`. */
  storageUrl: string;
  /** `Host` header of the gateway calls, where the host of the URL is not the environment's. */
  gatewayHost?: string;
  /** Environment of the storage calls. Default: `dev`. */
  env?: string;
  /** Hosted service that the gateway calls go to; it gets real calls. Default: `hello`. */
  service?: string;
  /** Access token of the gateway calls, without `Bearer`. Default: none is sent. */
  gatewayToken?: string;
  /** Headers of the storage calls, sent as given. All of them are treated as secrets. */
  storageHeaders?: Record<string, string>;
  /**
   * Where storage requests have their fields: at the `top` level of the body, or inside `data`.
   * Default: the one that the deployment accepts, found with a call that stores nothing.
   */
  requestForm?: RequestForm;
  /** Longest wait for one answer, in milliseconds, at most an hour. Default: 10000. */
  timeout?: number;
  /**
   * Ask for statuses that depend on what is deployed with `Prefer: code=…` (RFC 7240), which mocks
   * obey. It tells whether the mock's forced answers keep the contract. Default: false.
   */
  preferCode?: boolean;
  /** Called with each result as soon as it is known. */
  onResult?: (result: Result) => void;
}

/** Options that have no default. */
type Optional = 'gatewayHost' | 'gatewayToken' | 'requestForm';

export type Settings = Omit<Required<ConformanceOptions>, Optional> &
  Pick<ConformanceOptions, Optional>;

/**
 * Fills in the defaults.
 *
 * @throws StartError that names the bad option, never its value, which may be a credential
 */
export function toSettings(options: ConformanceOptions): Settings {
  const { timeout = 10_000, env = 'dev', service = 'hello', requestForm } = options;
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > LONGEST_TIMEOUT) {
    throw new StartError(
      `The timeout must be a whole number of milliseconds from 1 to ${LONGEST_TIMEOUT}.`,
    );
  }
  if (requestForm !== undefined && !REQUEST_FORMS.includes(requestForm)) {
    throw new StartError(`The request form must be ${REQUEST_FORMS.join(' or ')}.`);
  }
  if (env === '' || service === '') {
    throw new StartError('The environment and the service must have a name.');
  }
  return {
    ...options,
    gatewayUrl: toBaseUrl(options.gatewayUrl, 'gateway'),
    storageUrl: toBaseUrl(options.storageUrl, 'storage'),
    env,
    service,
    storageHeaders: options.storageHeaders ?? {},
    timeout,
    preferCode: options.preferCode ?? false,
    onResult: options.onResult ?? (() => {}),
  };
}

function toBaseUrl(value: string, what: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new StartError(`The ${what} URL must be an http or https URL.`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new StartError(`The ${what} URL must have no credentials, query or fragment.`);
  }
  return url.href.replace(/\/+$/, '');
}
