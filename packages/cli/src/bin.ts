#!/usr/bin/env node
const args = process.argv.slice(2)
// A hook runs with every call of a tool: it loads what it needs, and nothing else.
const { main } = await (args[0] === 'hook' ? import('./hook/main.ts') : import('./cli.ts'))

// Standard output has been written when this resolves; whatever may still be open must not hold the process.
process.exit(await main(args))

export {}
