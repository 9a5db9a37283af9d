import type { GatewayCall, ServiceResponse } from '@berth/server-stubs';
import type { Preferences } from '../prism/prism.ts';
import type { Contract } from '../surfaces/contract.ts';
import type { RunningService } from './service-kind.ts';

/** Creates the built-in `hello` service, which is like any other, but responds with the examples of the contract. */
export function createHello(contract: Contract): RunningService {
  return { serve: (_, call) => respondWithPrism(contract, call) };
}

/** Responds with what the contract documents for services, such as what `Prefer` asks for. */
export async function respondWithPrism(
  contract: Contract,
  call: GatewayCall,
  preferences?: Preferences,
): Promise<ServiceResponse> {
  const { status, headers, content } = await contract.respond('gateway', call, preferences);
  return { status, headers, ...(content && { body: content }) };
}
