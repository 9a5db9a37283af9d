import schema from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { WireProfile } from '../options.ts';
import { StartError } from '../start-error.ts';
import { readJsonFile } from './read-file.ts';

/**
 * A wire profile (D1).
 *
 * @throws StartError that names what is wrong in the file
 */
export async function readWireProfile(file: string): Promise<WireProfile> {
  const profile = await readJsonFile(file, '--wire-profile');
  const validate = new Ajv2020({ strict: false }).compile(schema);
  if (validate(profile)) return profile as WireProfile;
  const [fault] = validate.errors ?? [];
  const place = fault?.instancePath ? `${fault.instancePath.slice(1).replaceAll('/', '.')} ` : '';
  const name = fault?.params.additionalProperty ? `: ${fault.params.additionalProperty}` : '';
  throw new StartError(`${file} is no wire profile: ${place}${fault?.message}${name}.`);
}
