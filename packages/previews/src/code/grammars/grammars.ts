import type { Grammar } from '../grammar.ts'
import { C_FAMILY } from './c-family.ts'
import { CLASSES } from './classes.ts'
import { COMPILED } from './compiled.ts'
import { ECMASCRIPT } from './ecmascript.ts'
import { SCRIPTS } from './scripts.ts'

/** The grammar of each language, by the ids that `languageOf` gives. */
export const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  Object.entries({ ...ECMASCRIPT, ...C_FAMILY, ...COMPILED, ...CLASSES, ...SCRIPTS }),
)
