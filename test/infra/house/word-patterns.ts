/** A wording to avoid, and the plain one that replaces it. */
export type Pattern = {
  id: string;
  pattern: RegExp;
  use: string;
  /** Whether it applies to identifiers and test titles instead of prose. */
  code?: true;
  /** Number of uses allowed in the whole repository. Default: 0. */
  budget?: number;
};

export const PATTERNS: readonly Pattern[] = [
  // Vague persons: name the role (caller, user, operator, recipient, client), or use the passive.
  { id: 'W01', pattern: /\b[Ww]ho(m|se)?ever\b/gm, use: 'anyone who, the caller' },
  { id: 'W02', pattern: /\b([Ss]ome|[Nn]o|[Ee]very)body\b/gm, use: 'the role' },
  { id: 'W03', pattern: /\bof (ours|theirs|yours|mine)\b/gm, use: 'of the service, its' },
  { id: 'W04', pattern: /\b([Oo]ur|[Oo]urs|[Ww]e)\b(?!-)/gm, use: 'the service' },
  {
    id: 'W05',
    pattern: /\b[Oo]ne (may|sees|wants|asks|must|needs|knows|types|chooses|looks|signs)\b/gm,
    use: 'you (docs), the user',
  },
  {
    id: 'W06',
    pattern: /\b(for|of|to|by|with|from|on|than|and|knows|shows) who\b(?! is who)/gm,
    use: 'the recipient, the caller',
  },
  // Negation and existence by nouns.
  {
    id: 'W07',
    pattern: /\b(is|are|was|were|be) none(?= of| where|[;.,:)'"`]|$)/gm,
    use: 'does not exist, is not valid',
  },
  {
    id: 'W08',
    pattern: /(?<![Tt]here )\b(is|are|was|were) no (?!longer|more|such|need|way|one\b|reason)[a-z]+/gm,
    use: 'is not a',
  },
  { id: 'W09', pattern: /\b(that|one|those|what) there (is|are)\b/gm, use: 'existing; drop it' },
  // Quantity and time.
  {
    id: 'W10',
    pattern: /\b[Ss]o (many|long|much|soon|often|late)\b(?! (as|that))/gm,
    use: 'the number of; for that long',
  },
  { id: 'W11', pattern: /\bbehind (it|that|them|those|the|what|this|one|others|all|these|each)\b/gm, use: 'after' },
  {
    id: 'W12',
    pattern: /(?<!least )(?<!twice )(?<!times )(?<!waits )\bas long as (it|they|that|the|one|this|there)\b/gm,
    use: 'while',
  },
  {
    id: 'W13',
    pattern: /\bfrom (when|then|now|here|there|that) on\b|\b([Ss]ince|[Uu]ntil|[Ff]rom|[Bb]y) when\b/gm,
    use: 'from, since',
  },
  {
    id: 'W14',
    pattern: /\ba moment (ago|later)\b|\bin a moment\b|\bat (a|this|one) moment\b/gm,
    use: 'shortly before; just now',
  },
  { id: 'W15', pattern: /\bthe most that\b|\bat most so\b|\b[Tt]he most [a-z]+s\b/gm, use: 'maximum; at most N' },
  // Coined words for notifying, evaluating and heartbeats.
  {
    id: 'W16',
    pattern: /\b(is|are|was|were|be|gets?|not|who) told\b|\btold (of|that|to|again|by)\b/gm,
    use: 'notified',
  },
  { id: 'W17', pattern: /\b[Tt]ell(s|ing)? (of|nobody|people|whom|that)\b/gm, use: 'reports, notifies' },
  {
    id: 'W18',
    pattern: /\b(who|that|to|nobody|channels?|they|we) (hear|hears|heard)\b|\bheard (of|by|from)\b/gm,
    use: 'is notified',
  },
  { id: 'W19', pattern: /\bbelie(ve[sd]?|ving|fs?)\b/gm, use: 'last notified state' },
  {
    id: 'W20',
    pattern: /\b(is|are|was|were|be|been|not|never|to) announced?\b|\bannouncement/gm,
    use: 'reported, sent',
  },
  { id: 'W21', pattern: /\b[Jj]udg(e|es|ed|ing|ement)\b/gm, use: 'evaluate, validate, apply' },
  { id: 'W22', pattern: /\blook(s|ed|ing)? after\b/gm, use: 'acknowledge, handle' },
  {
    id: 'W23',
    pattern: /\b(is|are|was|were|be) looked (at|for)\b|\b(a|the|each|every|next|last) look\b(?!-)/gm,
    use: 'check, recheck',
  },
  {
    id: 'W24',
    pattern: /\bcom(e|es|ing) (about|of it)\b|\bcame (about|of)\b|\bcomes? of\b/gm,
    use: 'result of; is established',
  },
  { id: 'W25', pattern: /\b([Hh]eld|[Hh]olds?|[Hh]olding) (back|to|of|no more)\b/gm, use: 'suppresses; restricted to' },
  { id: 'W26', pattern: /\b(is|are|was|were|be) (asked|answered) (for|again|of)\b/gm, use: 'requested, probed' },
  { id: 'W27', pattern: /\b(is|are|was|be|stays?|falls?|fell) silent\b|\bsigns? of life\b/gm, use: 'missed heartbeat' },
  // Noun clauses instead of a noun phrase or a verb.
  {
    id: 'W28',
    pattern: /\/\*\* (What|Who|Whom|Whose|How|Where|Why|By|Of|From|Until|Under|So|Most)\s/gm,
    use: 'noun phrase; verb',
  },
  { id: 'W29', pattern: /\/\*\* The same\b/gm, use: 'state what it is' },
  {
    id: 'W30',
    pattern: /\.describe\(\s*['"`](What|Who|Whom|Whose|How|Of|That|Those|Said|Names|It|Its|Where)\b/gm,
    use: 'noun phrase',
  },
  {
    id: 'W31',
    pattern: /(^|[.;:] |\* |\/\*\* |['"`])Of (a|an|the|one|what|those|its|each|all|several|every|this)\b/gm,
    use: 'For a …:',
  },
  {
    id: 'W32',
    pattern: /(^|[.;:] |\* |\/\*\* |['"`])Where (a|an|the|there|it|one|no|nothing|that|this|none)\b/gm,
    use: 'If, When',
  },
  {
    id: 'W33',
    pattern: /\bwhere (it|there|they|one|none|nothing|nobody|no) (is|are|was|has|have|does|may|can)\b/gm,
    use: 'if, when',
  },
  // Word-for-word connectives and verbs.
  { id: 'W34', pattern: /\banew\b/gm, use: 'again, from scratch' },
  { id: 'W35', pattern: /\b(goes|went|going|go) on (?!AWS|call|one|the wire|a )/gm, use: 'continue, resume' },
  { id: 'W36', pattern: /\bstands? (in|at|on|beside|behind|under|there|here|alone|by itself)\b/gm, use: 'is in' },
  { id: 'W37', pattern: /\blies? (in|at|ahead|beside|under|back|between|beyond)\b/gm, use: 'is in, is before' },
  { id: 'W38', pattern: /\bbut for (the|a|an|its|what|those|one|that|it|two)\b/gm, use: 'except for' },
  {
    id: 'W39',
    pattern: /\bbeside (it|that|them|the|those|this|each|what|its|all|one|others|a)\b/gm,
    use: 'in addition to, next to',
  },
  { id: 'W40', pattern: /\bin place of\b|\bin its place\b/gm, use: 'instead of' },
  { id: 'W41', pattern: /\bto the letter\b/gm, use: 'verbatim, exactly' },
  {
    id: 'W42',
    pattern: /\bof late\b|\bby and by\b|\bwithout (a word|more)\b|\bfor want of\b|\bfor good\b/gm,
    use: 'recently; permanently',
  },
  { id: 'W43', pattern: /\bby hand\b/gm, use: 'manually' },
  {
    id: 'W44',
    pattern: /\bgiven (again|back)\b|\bgives? (it |them |one |these )?back\b|\bput back\b/gm,
    use: 'retried, restored',
  },
  {
    id: 'W45',
    pattern: /, as (it|they|no|nothing|nobody|somebody|each|every|its)\b(?! (is|are|was|does|did|has)\b)/gm,
    use: 'because',
  },
  { id: 'W46', pattern: /\bfor people\b/gm, use: 'human-readable' },
  { id: 'W47', pattern: /\bcolour|\bbehaviour\b|\bgrey\b|\bhonour/gm, use: 'US spelling' },
  // Identifiers and test titles.
  {
    id: 'I01',
    pattern: /\b(MOST|LONGEST|LARGEST|LEAST|SHORTEST|SOONEST)_[A-Z_]+\b|\bMOST\b/gm,
    use: 'MAX_, MIN_ + noun + unit',
    code: true,
  },
  { id: 'I02', pattern: /\bmust[A-Z]\w+/gm, use: 'assert…', code: true },
  { id: 'I03', pattern: /\b[a-z]\w*Rows\b/gm, use: '…Routes (lib, functions, infra)', code: true },
  {
    id: 'I04',
    pattern:
      /\b(it|test)(\.\w+)*(\([^()]*\))?\(\s*['"`]([Aa]n?|[Oo]f|[Tt]hat|[Ww]hat|[Hh]ow|[Ww]here|[Bb]y|[Aa]s|[Ss]o|[Ii]ts)\s/gm,
    use: 'a verb first: "returns 404 when …"',
    code: true,
  },
  // Patterns that are also good English in places.
  { id: 'B01', pattern: /\bthose (who|whom|that|of)\b/gm, use: 'users who, checks that', budget: 60 },
  { id: 'B02', pattern: /\b[Mm]eanwhile\b/gm, use: 'in the meantime, or drop', budget: 20 },
  {
    id: 'B03',
    pattern: /\b([Ww]hat|[Ww]hich) (is|was|are|were|has|had|it|they|one|nobody)\s/gm,
    use: 'the noun itself',
    budget: 500,
  },
  {
    id: 'B04',
    pattern: /\bmay (be|have|not|only|go|call|read|see|change|take|come)\b/gm,
    use: 'can, may only',
    budget: 200,
  },
];
