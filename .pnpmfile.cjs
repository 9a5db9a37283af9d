module.exports = {
  hooks: {
    // The build of the mock has put Prism into `dist` (packages/mock/scripts/bundle.ts). It stays a dependency of
    // the checkout, where the source imports it, and of the licence check.
    beforePacking(manifest) {
      if (manifest.name === '@berth/mock') delete manifest.dependencies['@stoplight/prism-http'];
      return manifest;
    },
    // Both need the API of the TypeScript 5 compiler, which TypeScript 7 no longer has. As a peer they would get
    // the TypeScript 7 of this repository.
    readPackage(manifest) {
      if (['openapi-typescript', '@hey-api/openapi-ts'].includes(manifest.name)) {
        manifest.dependencies.typescript = '5.9.3';
        delete manifest.peerDependencies.typescript;
      }
      return manifest;
    },
  },
};
