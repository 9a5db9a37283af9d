import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Failure } from '../output.ts';

/** A hosted service and its OpenAPI document. */
export interface Source {
  readonly name: string;
  readonly file: string;
}

const GENERATOR = '@berth/server-stubs/service-document';

const HEADER = `// Written by \`berth types --validate\`. Do not edit: change the OpenAPI documents and run it again.
// biome-ignore-all lint: generated
/* eslint-disable */
// @ts-nocheck
import type { ServiceValidators } from '@berth/client';
`;

/** Imported only if a validator needs it, for example for a format. */
const HELPERS = "import { ajvHelpers } from '@berth/server-stubs/ajv-helpers';\n";

const TO_SCHEMA = `const toSchema = (isValid) => ({
  '~standard': {
    version: 1,
    vendor: 'berth',
    validate(value) {
      if (isValid(value)) return { value };
      const [{ keyword, params, instancePath, message }] = isValid.errors;
      const path = instancePath.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
      return keyword === 'required'
        ? { issues: [{ message: 'is missing', path: [...path, params.missingProperty] }] }
        : { issues: [{ message, path }] };
    },
  },
});
`;

/**
 * Renders a module that exports `validators`, with a Standard Schema for each JSON response of each service.
 */
export async function toServiceValidators(
  sources: readonly Source[],
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  const { writeResponseValidators } = await loadGenerator();
  const warnings: string[] = [];
  const services: string[] = [];
  for (const { name, file } of sources) {
    const { code, operations, ...found } = await writeResponseValidators(file).catch(
      (error: Error) => {
        throw error.name === 'ServiceDocumentError' ? new Failure(error.message, 2) : error;
      },
    );
    warnings.push(...found.warnings);
    const members = Object.entries(operations).map(([operation, statuses]) => {
      const schemas = Object.entries(statuses).map(
        ([status, validator]) => `${JSON.stringify(status)}: toSchema(${validator})`,
      );
      return `    ${JSON.stringify(operation)}: { ${schemas.join(', ')} },\n`;
    });
    services.push(
      `  ${JSON.stringify(name)}: (() => {\n${code}\n  return {\n${members.join('')}  };\n  })(),\n`,
    );
  }
  const index = `/** For \`createGatewayClient<Services>({ validators, … })\`. */\nexport const validators: ServiceValidators = {\n${services.join('')}};\n`;
  const imports = index.includes('ajvHelpers.') ? HEADER + HELPERS : HEADER;
  return { text: [imports, TO_SCHEMA, index].join('\n'), warnings };
}

/** Loads the generator installed with this package, or in the project in the working directory. */
async function loadGenerator(): Promise<typeof import('@berth/server-stubs/service-document')> {
  try {
    return await import(GENERATOR).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      const project = createRequire(join(process.cwd(), 'package.json'));
      return import(pathToFileURL(project.resolve(GENERATOR)).href);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Failure(
      'berth types --validate needs @berth/server-stubs: npm install --save-dev @berth/server-stubs',
      2,
    );
  }
}
