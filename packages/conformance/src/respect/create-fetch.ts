import { toPlainType } from '../contract/media-type.ts';
import type { Caller } from '../http/caller.ts';
import { type Exchange, toReceived } from '../http/exchange.ts';
import { type HeaderList, withHeaders } from '../http/header-list.ts';
import { toTarget } from '../http/to-target.ts';
import { createRunCaller } from '../run/create-run-caller.ts';
import type { Run } from '../run/run.ts';
import { followLink } from '../trial/upload-tool.ts';
import { createVault, type Vault } from './create-vault.ts';
import { fromContractAnswer, fromContractStatus, toContractBody } from './translate.ts';

export interface RecordedFetch {
  fetch: typeof fetch;
  /** Every call so far. */
  exchanges: Exchange[];
  /** The last call that got no answer. */
  fault?: Error;
}

/**
 * A `fetch` for Respect that makes its calls as all others of the run are made: signed with the
 * credentials of the run, with its timeouts, authorities and proxy, and with the names and forms that
 * the operator has declared.
 */
export function createFetch(run: Run): RecordedFetch {
  const caller = createRunCaller(run);
  const vault = createVault();
  const recorded: RecordedFetch = {
    exchanges: [],
    async fetch(input, init) {
      try {
        const exchange = await call(run, caller, vault, vault.reveal(String(input)), init ?? {});
        recorded.exchanges.push(exchange);
        const { headers } = exchange.received;
        const status = fromContractStatus(run, exchange);
        const body = concealBody(vault, fromContractAnswer(run, exchange));
        const hasBody = ![204, 205, 304].includes(status);
        // Respect knows one spelling of a media type.
        const visible = headers.map(([name, value]): [string, string] => [
          name,
          name.toLowerCase() === 'content-type' ? toPlainType(value) : value,
        ]);
        return new Response(hasBody ? Uint8Array.from(body) : null, { status, headers: visible });
      } catch (error) {
        recorded.fault = error as Error;
        throw error;
      }
    },
  };
  return recorded;
}

/** A JSON body without the values that Respect only passes on; any other as it is. */
function concealBody(vault: Vault, body: Buffer): Buffer {
  const { json } = toReceived(200, [], body);
  return json === undefined ? body : Buffer.from(JSON.stringify(vault.conceal(json)));
}

async function call(
  run: Run,
  caller: Caller,
  vault: Vault,
  url: string,
  init: RequestInit,
): Promise<Exchange> {
  const { settings } = run;
  const { origin } = new URL(url);
  const target = toTarget(url);
  const request = new Request(url, { ...init, signal: null });
  const given: HeaderList = [...request.headers].filter(([name]) => name !== 'content-length');
  const written = Buffer.from(await request.arrayBuffer());
  const isGateway = url.startsWith(`${settings.gatewayUrl}/v1/cloudrun/`);
  const isStorage = url.startsWith(`${settings.storageUrl}/api/v2/`);
  const { body, headers: plain } = await toContractBody(run, vault, isStorage, given, written);
  const host = isGateway ? settings.gatewayHost : undefined;
  const headers = host === undefined ? plain : withHeaders(plain, [['Host', host]]);
  const method = request.method;
  if (method === 'GET' && !isGateway && !isStorage) return followLink(caller, url, headers);
  const signer = isGateway ? run.gatewaySigner : run.signers.storage;
  const isSigned = isStorage || (isGateway && request.headers.has('authorization'));
  const unsigned = { method, url: origin + target, headers, body };
  const credentials = isSigned ? ((await signer?.(unsigned)) ?? []) : [];
  return caller.call({ method, origin, target, headers: withHeaders(headers, credentials), body });
}
