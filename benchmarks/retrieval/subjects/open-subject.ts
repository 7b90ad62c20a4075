import { blocksOfFile, endsOfFile, wholeFile, wholeString } from './floors.ts'
import { nativeRe2 } from './native-re2.ts'
import { oursSubject, storeForOurs } from './ours-subject.ts'
import { storeForStrands, strandsSubject } from './strands.ts'
import type { Place, Subject } from './subject.ts'

/** Everything that is measured within a Node.js process, by its name in tables. */
const SUBJECTS = {
  'Spillway, file': (place, contentType) => oursSubject('file', place, contentType),
  'Spillway, memory': (place, contentType) => oursSubject('memory', place, contentType),
  'Strands, file': (place) => strandsSubject('file', place),
  'Strands, memory': (place) => strandsSubject('memory', place),
  'V8, whole file': wholeFile,
  'V8, decoded string': wholeString,
  'V8, blocks of the file': blocksOfFile,
  'both ends of the file': endsOfFile,
  'native re2': nativeRe2,
} as const satisfies Readonly<Record<string, (place: Place, contentType: string) => Subject | Promise<Subject>>>

export type SubjectName = keyof typeof SUBJECTS

/** Open content for one implementation. An implementation in memory then reads all of the content. */
export async function openSubject(name: SubjectName, place: Place, contentType: string): Promise<Subject> {
  return await SUBJECTS[name](place, contentType)
}

/** Store content on disk for an implementation with files. Returns the reference; empty for other implementations. */
export async function storeFor(name: SubjectName, place: Place, contentType: string): Promise<string> {
  if (name === 'Spillway, file') return await storeForOurs(place, contentType)
  if (name === 'Strands, file') storeForStrands(place)
  return ''
}
