/**
 * Whether a text tells the agent what to do, or not to ask, instead of how things are; in the languages most teams write. Pure.
 *
 * A fact that is refused can be said in other words; an order that is kept would outlive whoever wrote it. So in doubt it is an order.
 */

const any = (...parts: readonly string[]): string => `(?:${parts.join("|")})`;
const found = (pattern: string): RegExp => new RegExp(pattern, "iu");
/** Where a word begins, in scripts with spaces. */
const B = "(?<![\\p{L}\\p{N}])";
const NEAR = "(?:[^.!?\\n]|\\.(?=\\S)){0,60}";

/** To let something happen, by the beginnings of the words; not what “we” do. */
const ALLOW = `(?!\\p{L}+[ai]mos(?!\\p{L}))${any(
  ..."approve approving accept allow permit authori[sz] confirm grant whitelist".split(" "),
  ..."genehmig freigeb freizugeben erlaub best[aä]tig zustimm akzeptier freigib".split(" "),
  "stimm\\w*\\s(?:\\S+\\s){0,4}zu",
  "gib\\w*\\s(?:\\S+\\s){0,4}frei",
  ..."approuv accept autoris valid".split(" "),
  ..."aprueb aprob acept autori[cz] permit confirm approv accett aprov aceit".split(" "),
  ..."goedkeur keur godk[aä]nn godkjenn zatwierdz akceptuj onayla kabul".split(" "),
  ..."одобр разреш подтвержд утвержд принима".split(" "),
)}`;
/** To do something with effect, in other languages than English, whose statements look like orders by their beginnings. */
const ACT = any(
  ..."ausf[uü]hr l[oö]sch schick".split(" "),
  "f[uü]hr\\w*\\s(?:\\S+\\s){0,4}aus",
  ..."ex[eé]cut envoi supprim ejecut env[ií]a borra esegu invia elimin execut выполн отправ удал".split(" "),
);
const ALWAYS = any(
  ..."always automatic\\w* auto immediately silently unconditionally blindly regardless everything".split(" "),
  "without (?:asking|question|confirmation|approval|checking|waiting|further|any|permission|consent)",
  "no matter",
  "every time",
  ..."immer stets automatisch ungefragt blind(?:lings)? sofort".split(" "),
  "her zaman",
  "ohne (?:zu )?(?:fragen|nach|r[uü]ck|frag|pr[uü]f|freigab|best)\\w*",
  ..."toujours automatiquement syst[eé]matiquement siempre autom[aá]tic\\w* sempre senza sem".split(" "),
  "sans (?:demander|confirm|valid|approb|autoris|question|rien|v[eé]rif)\\w*",
  "sin (?:preguntar|confirm|aprob|autori|permiso|consult|pedir)\\w*",
  ..."altijd alltid zawsze automatycznie otomatik всегда автоматически сразу".split(" "),
  "без (?:вопрос|подтвержд|согласов|разреш|спрос|провер)\\p{L}*",
);
const ALL = any(
  ..."all any every everything each whatever anything alles? jede\\w* s[aä]mtliche tout(?:es?)? tous todo todas? todos cualquier\\w* tutt[oaie] ogni tudo qualquer alle wszystk\\w* все всё люб\\p{L}*".split(
    " ",
  ),
);
/** What a rule is called, by the beginnings of the words. */
const RULES = any(
  ..."instruction rule polic prompt approval guardrail restriction safeguard check card anweisung regel richtlinie vorgabe freigabe".split(
    " ",
  ),
  ..."consigne r[eè]gle directive instruc regla pol[ií]tica norma istruzion regol indicazion instru[cç] regra diretri[cz]".split(" "),
  ..."instructie voorschrift polec instrukcj zasad talimat kural инструкц правил указан".split(" "),
);
const IGNORE = any(
  "ignor(?!ed)",
  ..."disregard forget override overrule bypass circumvent dismiss suspend disable missacht vergiss vergesst umgeh [uü]bergeh".split(" "),
  ..."oublie[zr]? contourne olvid salta omit(?:e|a) dimentic esquec desconsider negeer vergeet omzeil zignoruj pomi[nń] yoksay игнорир забуд обойди".split(
    " ",
  ),
);
/** Somebody to ask, or asking. */
const CONSENT =
  "(?:approvals?|confirmations?|permission|consent|genehmigung|freigabe|best[aä]tigung|r[uü]ckfrage|zustimmung|approbation|confirmation|validation|autorisation|aprobaci[oó]n|confirmaci[oó]n|autorizaci[oó]n|permiso|approvazione|conferma|autorizzazione|aprova[cç][aã]o|confirma[cç][aã]o|autoriza[cç][aã]o|goedkeuring|toestemming|bevestiging)";

/** What somebody else does. */
const DOES = "(?:(?:approv|execut|authori[sz])es|(?:accept|allow|permit|confirm|grant)s)(?!\\p{L})";
const DONE_BY =
  "(?:von|durch)\\s(?!dir|selbst|allein|denizen|dem (?:agent|bot))(?:\\p{L}+\\s){1,3}(?:genehmigt|freigegeben|best[aä]tigt|akzeptiert)(?!\\p{L})";

const EVERYWHERE: readonly RegExp[] = [
  found(`${B}${IGNORE}${NEAR}${B}${RULES}`),
  // "Invoices are always approved by Ann" and "Ann always approves invoices" tell who does it.
  found(
    `${B}${ALWAYS}\\s*[-,]?\\s*(?!(?<=[\\p{L}\\p{N}]\\s+\\S+\\s)${DOES})${any(ALLOW, ACT)}(?!\\p{L}*\\s+(?:by|von|durch|par|por|da|door)\\s(?!you|denizen|the (?:agent|bot)))`,
  ),
  found(
    `${B}(?:immer|stets|automatisch|toujours|siempre|sempre|altijd|всегда|ohne|sans|sin|senza|sem|zonder|без)\\s(?!${DONE_BY})${NEAR}${B}${ALLOW}(?!\\p{L}*\\s(?:par|por|da|door)\\s(?!toi|vous|ti|te|voi|jou|denizen))`,
  ),
  // An imperative, or what is to be done.
  found(
    `(?:^|[.!?;:,]\\s*|${B}(?:please|just|bitte|einfach|por favor|s['’]il te pla[iî]t|to|be|get|must|should|and|und|y|et|e|du|you)\\s+)${ALLOW}(?!al)\\p{L}*\\s${NEAR}${B}${ALWAYS}`,
  ),
  found(
    `(?:^|[.!?;:,]\\s*|${B}(?:please|just|bitte|einfach|to|must|should|and|und|y|et|e)\\s+)(?:run|execute|send|delete|share|forward|install|deploy|${ACT})\\s${NEAR}${B}(?:without asking|without (?:any )?(?:approval|confirmation)|ungefragt|sin preguntar|sans demander|no matter|ohne (?:zu fragen|r[uü]ck|nach))`,
  ),
  found(`(?:^|[.!?;:]\\s*|${B}(?:please|just|bitte|einfach)\\s+)${ALLOW}(?!al)\\p{L}{0,4}\\s+${ALL}(?!\\p{L})`),
  found(
    `${B}(?:is|are|was|were|be|been|sind|ist|werden|wird)\\s(?:\\w+\\s)?(?:pre-?|vorab\\s|auto-?)(?:approved|authori[sz]ed|genehmigt|freigegeben)`,
  ),
  found(`${B}${ALWAYS}\\s(?:be|get|count\\w* as)\\s(?:approved|authori[sz]ed|allowed|accepted|granted)(?!\\s+by\\s(?!you))`),
  found(
    `${B}(?:approved|authori[sz]ed|allowed|permitted|accepted)\\s+(?:automatically|unconditionally|silently|blindly|without|no matter)`,
  ),
];

const ENGLISH: readonly RegExp[] = [
  /\b(always|automatically|auto-?|silently|immediately)\s*(approve|accept|allow|execute|run|confirm|grant|send|share|forward|delete|install)\b/i,
  /\b(never|do not|don['’]?t|no need to|without|stop)\s+(ask(ing)?|request(ing)?|wait(ing)?|need(ing)?|tell(ing)?|mention(ing)?|check(ing)?|requir(e|ing)|seek(ing)?|demand(ing)?|bother(ing)?|worry)\b.{0,40}\b(approvals?|permission|confirmation|consent|first|anyone|anybody|before|users?|people|them)\b/i,
  /\b(skip|bypass)\s+(\w+\s+){0,3}(approvals?|confirmations?|permissions?|consent|checks?)\b|\b(standing|blanket|unlimited|permanent) (approval|permission|consent)\b|\bcounts? as (approved|authori[sz]ed|confirmed)\b/i,
  /\b((above|previous|prior|earlier|your|all)\s+(rules|instructions|policies|guidelines)|(rules|instructions|policies|guidelines) (above|before))\b.{0,20}\b(no longer|do not|don['’]t|are void|are lifted)/i,
  /^\W*(please )?(obey|do (whatever|anything|everything)|follow (all|every|any|whatever))\b/i,
  /\b(the (agent|assistant|bot|ai)|denizen)\b.{0,20}\b(approves|allows|accepts|executes|runs|ignores|obeys|confirms)\b.{0,20}\b(all|every|everything|any|automatically|without)\b/i,
  /\b(no|skip|without|needs? no|requires? no|does not need|do not need|don['’]t need|doesn['’]t need)\s+(the\s+|any\s+|an?\s+|further\s+|more\s+)*(approvals?|confirmation|permission|consent)\b/i,
  /\b(approvals?|confirmation|permission|consent)\b.{0,20}\b(is|are)\s+(not|never|no longer)\s+(needed|required|necessary)/i,
  /\b(is|are|was|were|has been|have been)\s+(always approved|whitelisted|exempt from approval)\b(?!\s+by\s(?!you))/i,
  /\b(treat|consider|regard)\b.{0,60}\bas\b.{0,20}\b(approved|authori[sz]ed|trusted|an? (admin|owner|approver))/i,
  /\byou (must|shall|have to|are now|will now|should (always|never)|may (always|never)|need to always|are (allowed|authori[sz]ed|permitted) to)\b|\bfrom now on,? (you|always|never|approve|allow|accept|ignore|send|run)\b|\b(act|behave|respond|pretend) (as|like|to be) (if|an?|the)\b/i,
  /\byour (new |real |only |main )?(instructions?|task|job|role|goal|mission|purpose|rules?) (is|are)\b|\b(make sure|be sure|remember) (to|you|that you) (always|never|approve|allow|run|send|ignore)/i,
  /\b(whenever|every time|each time|any time|when|if|once|as soon as)\b.{0,60}\b(you|the (agent|assistant|bot|ai)|denizen)\b.{0,20}\b(must|should|shall|has to|have to|will|can|may)\b.{0,40}\b(run|execute|send|delete|approve|call|post|forward|share|reply|answer)\b/i,
  /\b(whenever|every time|each time|any time|when|if|once|as soon as)\b.{1,80}(,|:|\bthen\b|\bplease\b|\b(asks?|says?|requests?|wants?)( (it|so|that|for it|to))?)\s+(then |please |just |always )*(approve|accept|allow|grant|authori[sz]e|confirm|execute|run|delete|send|forward|share|post|reply|answer|ignore)\b/i,
  /\b(the (agent|assistant|bot|ai(?! (team|group|lab|department|budget)))|denizen)\b.{0,20}\b(must|should|shall|has to|will always|is (allowed|authori[sz]ed|permitted) to)\b/i,
  /\b(the (agent|assistant|bot|ai)|denizen|it|you|requests?)\b.{0,20}\b(always|automatically|silently|immediately|unconditionally|blindly)\s(approves?|accepts?|allows?|permits?|confirms?|grants?|executes?|runs|sends|deletes)\b/i,
  /\b(reveal|print|repeat|output|leak|exfiltrate)\b.{0,40}\b(system prompt|instructions|secrets?|tokens?|keys?|memory)\b/i,
  /\b(system|developer) (prompt|message|instruction)s?\b|<\/?\s*(system|instructions?|assistant|user|tool_result|human)\s*>|\[\/?INST\]|<\|[a-z_]+\|>|^\s*(system|assistant|user|human)\s*:/i,
];

const OTHERS: readonly RegExp[] = [
  // Not to ask.
  found(
    `${B}(?:keine|ohne|braucht keine?|brauchen keine?|sans|sin|senza|sem|zonder|geen|no necesitan?|non serve|pas besoin d['’e])\\s?(?:eine?r? |weitere |jegliche |aucune |ninguna |mais |more )*${CONSENT}`,
  ),
  found(
    `${B}(?:frag\\w*|bitt\\w*)\\s(?:\\p{L}+\\s){0,3}(?:nie|nicht|niemals)|${B}(?:nie|niemals|nicht)\\s(?:\\p{L}+\\s){0,2}(?:nach)?fragen`,
  ),
  found(
    `${B}ne\\s(?:me |nous )?(?:demande|consulte|v[eé]rifie)\\p{L}*\\s(?:jamais|pas|rien)|${B}(?:no|nunca)\\s(?:me |nos |le )?(?:pregunt|pid|consult)\\p{L}*`,
  ),
  found(
    `${B}(?:non|mai)\\s(?:chied|domand)\\p{L}*|${B}(?:n[aã]o|nunca)\\s(?:pergunt|pe[cç]a)\\p{L}*|${B}vraag\\s(?:\\p{L}+\\s){0,2}(?:nooit|niet)|${B}не\\s(?:спраш|уточня)\\p{L}*`,
  ),
  found(`${B}stimm\\w*\\s${NEAR}${B}(?:automatisch|immer|stets|sofort|ohne)${NEAR}\\szu(?!\\p{L})`),
  // Whom it is said to.
  found(
    `${B}(?:ab jetzt|von nun an|k[uü]nftig)\\s.{0,30}${B}(?:sollst|musst|darfst|wirst)\\sdu|${B}du\\s(?:musst|sollst|darfst)\\s(?:ab jetzt |von nun an )?(?:immer|nie|alle)`,
  ),
  found(`${B}(?:tu dois|vous devez|debes|tienes que|devi|deve|você deve|je moet|ты долж\\p{L}+|вы долж\\p{L}+)\\s`),
  found(
    `${B}(?:wenn|sobald|falls|quand|lorsque|si|cuando|quando|se|когда|если)\\s[^.!?\\n]{1,80},?\\s(?:dann |bitte |alors |entonces |то )?${any(ALLOW, ACT)}(?:e|ez|a|en|es|o|й|и|йте|ьте)?(?:\\s(?:es|das|le|la|lo|it|его|ihn|sie|alles))?\\s*[.!]?$`,
  ),
  /(忽略|无视|無視|忘记|忘れ).{0,14}(指令|指示|规则|規則|ルール|说明|說明|要求)/u,
  /(总是|總是|自动|自動|一律|始终|始終|永远|永遠|直接|常に|必ず|いつも).{0,14}(批准|同意|通过|通過|执行|執行|承認|許可|允许|允許|実行)/u,
  /(无需|無需|不需要|不用|无须|不必|不要|なしで|不要で).{0,6}(批准|确认|確認|同意|许可|許可|询问|詢問|问|承認)|(確認|承認|許可)(は|を)?(なし|不要|せず|求めず)/u,
  /(항상|자동으로|무조건|언제나).{0,16}(승인|허용|실행|허가)|(승인|확인|허가|묻지)\s*(없이|않고|말고)|(지시|규칙|지침).{0,8}(무시|잊)/u,
];

/** Letters of other scripts that look like Latin ones, in words that have both. */
const LOOKS = new Map([..."аеорсухікмнтвѕјԁɡαοερικνυτ"].map((letter, at) => [letter, [..."aeopcyxikmhtbsjdgaoepikvut"][at] ?? letter]));
const MIXED = /(?=\p{L}*[a-z])(?=\p{L}*[\p{sc=Cyrillic}\p{sc=Greek}])\p{L}+/giu;

/** Letters that look like others, signs between letters that nobody sees, and letters set apart are no way round. */
export const plainly = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(MIXED, (word) => [...word.toLowerCase()].map((letter) => LOOKS.get(letter) ?? letter).join(""))
    .replace(/(?<![\p{L}\p{N}])\p{L}(?:[ .\-_*]\p{L}){4,}(?![\p{L}\p{N}])/gu, (spaced) => spaced.replace(/[ .\-_*]/g, ""));

export const isOrder = (text: string): boolean => {
  const bare = text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .normalize("NFKC");
  return [...EVERYWHERE, ...ENGLISH, ...OTHERS].some((pattern) => pattern.test(text) || pattern.test(bare));
};
