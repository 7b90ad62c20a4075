/** Lines that speak of success, or of failures that did not happen. */
const HARMLESS =
  /^\s*(?:ok\b|✓|✔|√|passed\b)|\b(?:\.\.\.|…) ?(?:ok|passed|skipped|yes|no|done|found|none needed)\s*$|\bexit(?:ed)?(?: with)?(?: code| status)? ?[:=]? ?0\b|^(?:0|no) (?:errors?|warnings?|failures?|problems?)\b|\b(?:xfail|expected failure)/i

/** The same, where case tells. */
const PASSED = /^\s*PASS(?:ED)?\b|\bPASSED\b|^\s*\[ +(?:OK|RUN) +\]|^\s*Passed \S/

/** Levels of logging that tools give to lines that report nothing wrong, at the place where loggers put them. */
const LEVEL =
  /"(?:level|severity|levelname|lvl)" ?: ?(?:"(?:info|debug|trace|notice|default)"|[123]0\b)|\b(?:level|lvl)="?(?:info|debug|trace)\b|^(?:\S+ ){0,3}\S*(?:\b(?:INFO|DEBUG|TRACE|VERBOSE)\b(?!\]).|\[(?:debug|trace|info|DEBUG|Note|notice)\]|^(?:Info|Debug|Notice): |\bLOG: )|##\[debug\]/i

/** Counts of nothing. */
const ZERO =
  /\b(?:failures?|errors?|failed|warnings?)[:=] ?0\b|\b(?:0|no) (?:failures?|errors?|failed|failing|warnings?|problems?)\b/i

/** Lines that name many things in passing, such as what is downloaded, compiled or installed. */
const PROGRESS =
  /^\s*(?:\[[\w ./%-]{1,20}\]\s*)*(?:(?:re)?download(?:ing|ed)?|compil(?:ing|ed)|fetch(?:ing|ed)|get:|hit:|ign:|unpacking|selecting|setting up|preparing|collecting|install(?:ing|ed)|extract(?:ing|ed)|resolving|updat(?:ing|ed)|add(?:ing|ed)|using|requirement|building|generating|copying|creat(?:ing|e)|inflating|processing|linking|checking|looking for|running|loading|loaded|remote:|from|receiving|cloning|successfully)\b/i

/** Commands as a shell or build tool echoes them. */
const COMMAND =
  /^\s*(?:\++ |\$ |> (?!Task)|\[command\]|Run |cd \S+ && |\S*\/?(?:gcc|g\+\+|cc|clang|clang\+\+|javac|rustc|ghc|cl\.exe|ar|ld) -)/

/** What to do next, as tools say it after every failure alike. */
const ADVICE =
  /\b(?:[Rr]e-?run\b.{0,20}\b(?:with|using)|for more (?:information|details|help)|to see the full|please (?:refer|read|see|visit|check the)|see the (?:report|log|documentation)|[Rr]un with --|resume the build|\[Help \d\]|get more help|set the log level|this is probably not a problem with npm|[Aa] complete log of this run|consider (?:re-?running|adding)|To suppress this)/

export const isHarmless = (text: string): boolean => HARMLESS.test(text) || PASSED.test(text)
export const isLeveledLow = (text: string): boolean => LEVEL.test(text)
export const countsNothing = (text: string): boolean => ZERO.test(text)
export const isProgress = (text: string): boolean => PROGRESS.test(text)
export const isCommand = (text: string): boolean => COMMAND.test(text)
export const isAdvice = (text: string): boolean => ADVICE.test(text)
