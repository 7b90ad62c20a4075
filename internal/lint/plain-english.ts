/** Rules of plain English that a program can check, for doc comments and titles of tests. */

const OPENING = /^(?:What|Whatever|How|That|Those|Where|Why|Which|Who|Whoever)\b/i
const MOST_WORDS = 30

/** Conditions with "where". After the noun of a place, "where" is allowed, because it may not be a condition. */
const CONDITION =
  /(?:^|[,;] )where\b|\b(?:rejects?|throws?|fails?|absent|unavailable|empty|none) where\b|\bwhere (?:possible|there (?:is|are))\b/i

/** Idioms that are hard to read, with the usual words. */
const IDIOMS: readonly (readonly [RegExp, string])[] = [
  [/\bthe very (?:blocks?|messages?|objects?|ones?|parts?|results?|same|texts?|values?)\b/i, 'the same'],
  [/\bas (?:it|they) (?:are|came|is|stands?|was|were)(?=$|[.,;:)])/i, 'unchanged'],
  [/\b(?:goes?|going|went) on\b/i, 'continue'],
  [/(?<!there )\b(?:are|is|was|were) (?:none\b|no (?!longer\b|more\b|less\b))/i, 'is not a …'],
  [/\b(?:(?<!so )that|the ones?|those) of\b/i, 'the noun again'],
  [/\bif so\b/i, 'the condition again'],
  [/\balso (?:if|when)\b/i, 'even if'],
  [/\banew\b/i, 'again'],
  [/\bhowever (?:an?|it|large|long|many|much|often|small|the|they)\b/i, 'for any …'],
  [/\b(?:nobody|somebody|whoever)\b/i, 'a noun for the person'],
]

const BRITISH = new RegExp(
  [
    '(?:behavi|col|fav|flav|hon|lab|neighb)our\\w*',
    '(?:author|categor|character|custom|emphas|final|general|initial|local|material|maxim|memo|minim|normal|optim|organ)is(?:e|es|ed|ing|ation)',
    '(?:parallel|priorit|real|recogn|serial|special|stabil|standard|summar|synchron|token|util|visual)is(?:e|es|ed|ing|ation)',
    '(?:cancel|channel|label|model|signal|travel|tunnel)l(?:ed|ing)',
    '(?:analyse|catalogue|centre|defence|grey|licence|artefact|judgement|misspelt|spelt|whilst)[ds]?',
  ]
    .map((words) => `\\b${words}\\b`)
    .join('|'),
  'i',
)

/** Split the text of a doc comment into sentences, leaving out examples. */
export function sentencesOf(comment: string): string[] {
  const text = comment
    .replace(/^[^\S\n]*\*(?: |$)/gm, '')
    .replace(/```[^]*?```/g, '\n\n')
    .replace(/^ {4}.*$/gm, '\n')
  const blocks = text.split(/\n\s*\n|^\s*(?:[-*]|\d+\.)\s|^\s*@\w+(?:[^\S\n]+[\w.]+ - )?|\n\s*\|/m)
  return blocks.flatMap((block) =>
    block
      .trim()
      .replace(/\s+/g, ' ')
      .split(/(?<=[.!?:])\s+(?=[A-Z`[{])/)
      .filter((sentence) => sentence !== ''),
  )
}

/** Name each fault of a doc comment. */
export function faultsOfComment(comment: string): string[] {
  const sentences = sentencesOf(comment.replace(/```[^]*?```/g, '').replace(/\{@link [^}]*\}|`[^`]*`/g, 'CODE'))
  const faults: string[] = []
  if (OPENING.test(sentences[0] ?? ''))
    faults.push(`Begin with a noun or a verb, not with "${firstWord(sentences[0])}".`)
  for (const sentence of sentences) {
    const words = sentence.split(' ').filter((word) => /\w/.test(word)).length
    if (words > MOST_WORDS) faults.push(`Split the sentence of ${words} words: "${sentence.slice(0, 40)}…".`)
    if (CONDITION.test(sentence)) faults.push(`Write the condition with "if": "${sentence.slice(0, 60)}".`)
  }
  return [...faults, ...wordsIn(sentences.join(' '))]
}

/** List the faults of a test's title. */
export function faultsOfTitle(title: string): string[] {
  const fault = `Write the title as a statement with a subject and a verb, not with "${firstWord(title)}" first.`
  const condition = CONDITION.test(title) ? ['Write the condition with "if".'] : []
  return [...(OPENING.test(title) ? [fault] : []), ...condition, ...wordsIn(title)]
}

function wordsIn(text: string): string[] {
  const word = BRITISH.exec(text)?.[0]
  const idioms = IDIOMS.flatMap(([idiom, usual]) => {
    const found = idiom.exec(text)?.[0]
    return found === undefined ? [] : [`Write "${usual}" instead of "${found}".`]
  })
  return [...(word === undefined ? [] : [`Spell "${word}" as in American English.`]), ...idioms]
}

function firstWord(text: string | undefined): string {
  return text?.split(' ')[0] ?? ''
}
