export * from './key-pairs.ts';
export * from './sign-request.ts';
export * from './signatures.ts';
