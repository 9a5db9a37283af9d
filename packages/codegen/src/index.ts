export { toTypes } from './to-types.ts';
export { writeGenerated } from './write-generated.ts';
