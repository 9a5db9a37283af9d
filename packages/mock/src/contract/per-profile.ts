import type { WireProfile } from './wire-profile.ts';

/**
 * What is made of a wire profile, made anew where a hot reload has brought another one.
 *
 * @param holder knows the one in use
 */
export function perProfile<Made>(
  holder: { readonly profile: WireProfile },
  make: (profile: WireProfile) => Made,
): () => Made {
  let { profile } = holder;
  let made = make(profile);
  return () => {
    if (profile !== holder.profile) {
      profile = holder.profile;
      made = make(profile);
    }
    return made;
  };
}
