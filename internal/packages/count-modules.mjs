/**
 * Writes the modules that a program loads, and the imports of each module, into a file: `SPILLWAY_MODULES=<file> node
 * --import <this> …`.
 */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded = new Set()
/** URLs of imported modules, by the importing module and the specifier. */
const imports = {}
registerHooks({
  resolve(name, context, next) {
    const result = next(name, context)
    const importer = (imports[context.parentURL ?? ''] ??= {})
    importer[name] = result.url
    return result
  },
  load(url, context, next) {
    loaded.add(url)
    return next(url, context)
  },
})
process.once('exit', () => {
  loaded.delete(import.meta.url)
  writeFileSync(process.env.SPILLWAY_MODULES, JSON.stringify({ loaded: [...loaded], imports }))
})
