import type { Names } from '../names.ts';
import type { Model } from '../operations/model.ts';
import { indent } from '../types/indent.ts';
import {
  type OperationNames,
  takeNames,
  writeInput,
  writeOutput,
} from '../types/operation-types.ts';
import type { SchemaTypes } from '../types/schema-types.ts';
import { writeStatuses } from '../types/to-output.ts';
import type { ModuleNames } from './module-names.ts';

/** What is known of the types of one operation once they are written. */
export interface OperationTypes extends OperationNames {
  readonly operationId: string;
  readonly inputText: string;
  readonly outputText: string;
}

export interface TypesModule {
  readonly text: string;
  readonly operations: readonly OperationTypes[];
}

const RUNTIME_TYPES = ['Answer', 'MultipartStream', 'RawBody'];

/** `types.gen.ts`: the schemas by name, and input and output of each operation. */
export function writeTypes(
  model: Model,
  types: SchemaTypes,
  names: Names,
  modules: ModuleNames,
): TypesModule {
  const operations = model.operations.map((operation): OperationTypes => {
    const taken = takeNames(operation, names);
    return {
      ...taken,
      operationId: operation.operationId,
      inputText: writeInput(operation, taken.input, types),
      outputText: writeOutput(operation, taken.output, types),
    };
  });
  const texts = [
    ...operations.flatMap(({ inputText, outputText }) => [inputText, outputText]),
    ...types.declarations.values(),
  ];
  const body = indent([...writeStatuses(texts.join('\n')), ...texts].join('\n\n'));
  const used = RUNTIME_TYPES.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  const imports = [
    ...(/\bReadable\b/.test(body) ? ["import type { Readable } from 'node:stream';"] : []),
    ...(used.length > 0 ? [`import type { ${used.join(', ')} } from '${modules.runtime}';`] : []),
  ];
  return { text: [...imports, '', body].join('\n'), operations };
}
