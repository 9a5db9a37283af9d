export {
  constant,
  type ErrorRow,
  type ObjectSchema,
  toErrorTable,
  toReadonlyType,
} from './contract-source.ts';
export { toTypes } from './to-types.ts';
export { writeGenerated } from './write-generated.ts';
