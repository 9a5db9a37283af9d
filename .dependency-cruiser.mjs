/**
 * Which imports are forbidden: cycles (types included), and from a lower layer of a package to a higher one. Checked by
 * `npm run lint`; the layers are those of ARCHITECTURE.md.
 */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist|\\.turbo|\\.cache)/' },
    enhancedResolveOptions: {
      conditionNames: ['berth-source', 'import', 'node'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.d.ts'],
    },
  },
};
