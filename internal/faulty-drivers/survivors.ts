/** Faults that break no promise, as patterns of their ids, with the reason. */
const SURVIVORS: readonly (readonly [id: RegExp, reason: string])[] = [
  [
    /(?:skip|delay|share|leak|widen|forget) in [^,]*, above 1 MB$/,
    'the operator does not know the size of an entry, so the fault never shows',
  ],
  [/ignores that listed entries must be below a prefix/, 'core itself leaves out what is not below the prefix'],
  [/forgets the line index/, 'a driver need not keep it: core then reads everything once'],
  [
    /keeps the line index of the entry before, after 40 times$/,
    'no case stores so many entries with an index of lines',
  ],
  [/skip in collect/, 'without killed writers or failing streams there are no leftovers to collect'],
  [
    /in (?:list|stat|evict|findEviction|remove): .*, after 40 times$/,
    'few cases call this step so often on one storage, and none for this fault',
  ],
]

/** Return the reason why a fault may pass the suite; `undefined` if the suite must catch the fault. */
export const reasonOf = (id: string): string | undefined => SURVIVORS.find(([pattern]) => pattern.test(id))?.[1]
