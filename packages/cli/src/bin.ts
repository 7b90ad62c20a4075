#!/usr/bin/env node
import { main } from './cli.ts'

// Standard output has been written when this resolves; whatever may still be open must not hold the process.
process.exit(await main(process.argv.slice(2)))
