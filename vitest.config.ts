import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/**/src/**/*.test.ts', 'packages/**/test/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 20_000,
    coverage: { provider: 'v8', include: ['packages/core/src/**/*.ts'], exclude: ['**/*.test.ts'] },
  },
})
