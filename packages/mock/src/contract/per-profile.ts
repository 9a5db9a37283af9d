import type { Contract } from './contract.ts';
import type { WireProfile } from './wire-profile.ts';

/**
 * What is made of a wire profile and the contract, made anew where a hot reload has brought others.
 *
 * @param holder knows those in use
 */
export function perProfile<Made>(
  holder: { readonly profile: WireProfile; readonly contract?: Contract },
  make: (profile: WireProfile) => Made,
): () => Made {
  let { profile, contract } = holder;
  let made = make(profile);
  return () => {
    if (profile !== holder.profile || contract !== holder.contract) {
      ({ profile, contract } = holder);
      made = make(profile);
    }
    return made;
  };
}
