import schema from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import type { WireProfile } from './wire-profile.ts';

/** What is wrong with a wire profile, in one sentence. */
export class WireProfileError extends TypeError {
  override readonly name = 'WireProfileError';
}

/** @throws WireProfileError that names the first field that breaks the schema of wire profiles */
export async function assertWireProfile(value: unknown): Promise<WireProfile> {
  // Loaded for those alone who have a profile of their own.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const validate = new Ajv2020().compile<WireProfile>(schema);
  if (validate(value)) return value;
  const [error] = validate.errors ?? [];
  const { instancePath = '', message, params } = error ?? {};
  const field = `wireProfile${instancePath.replaceAll('/', '.')}`;
  const extra = params?.additionalProperty;
  throw new WireProfileError(
    extra === undefined ? `${field} ${message}.` : `${field} must not have the field ${extra}.`,
  );
}
