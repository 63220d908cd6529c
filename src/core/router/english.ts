function difference(words: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set([...words].filter((word) => !others.some((other) => other.has(word))));
}

/** Splits a table that is written as words between blanks. */
export function wordSet(...tables: readonly string[]): ReadonlySet<string> {
  return new Set(tables.join(' ').split(' '));
}

/** Words that build an English sentence and that no command takes as an operand. */
export const FUNCTION_WORDS = wordSet(
  'the an this that these those my your his its our their me you him us them it we they he she mine yours ours theirs',
  'myself yourself itself themselves ourselves who whom whose which what where when why how whatever whichever wherever',
  'whenever is are was were be been being am has have had having do does did doing can could will would shall should may might must',
  'and or but nor so because although though if unless while until than then else whether since of to in on at by for from with',
  'without into onto over under after before about between through during against within upon toward towards across along',
  'behind below above beneath beside besides except not no please pls plz thanks thank thx some any every each either neither another',
  'everything something anything nothing everyone someone somebody anyone anybody nobody everybody none somewhere anywhere',
  'there here also too very really just only even still already yet always never ever maybe perhaps again anymore instead',
  'cannot lets gonna wanna gotta dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt hasnt havent',
  'whats hows wheres whos thats theres im ive youre theyre vs versus ur u btw fyi imo asap rn tho cuz coz bc lol wtf pleaze as',
  'haha hehe lmao rofl oops teh hte taht thta thsi tihs adn wiht wtih wich wnat shoud woudl becuase wehn whcih',
  'ones both others similar via per out up off down away back together apart afterwards beforehand later soon now kindly okay ok',
);

/** Function words that also name a usual operand, so that one alone proves nothing. */
export const DOUBTFUL_FUNCTION_WORDS = wordSet(
  'a i up down back off out on bc u as now ok later per so both rn at via in',
);

/** Words that tell how something went: the state, never the operand, of a command. */
export const STATE_WORDS = wordSet(
  'fails failed failing fail failure rejected rejects refused refuses refusing denied denies hangs hanging hung stuck broken broke breaks',
  'crash crashes crashed crashing freezes freezing frozen froze slow slower slowly takes taking took wiped wipes missing',
  'disappeared vanished gone lost works working worked exits exited returns returned shows showing showed says said saying',
  'gives giving gave throws throwing threw prints complains complaining ignores ignored ignoring erroring errored timed unreachable',
  'unable forever suddenly accidentally completely permanently properly correctly safely automatically manually recursively',
  'needs wants keeps kept looks looking seems seemed gets getting got goes means meaning uses deletes deleted deleting',
  'removes removed overwrites overwrote overwritten changes changed loops leaks leaking blocks blocked waits waiting spins skips skipped',
  'reports reported prompts asks asked asking segfaults segfault succeeded succeeds finished finishes completed expired closed',
  'disconnected disconnects interrupted corrupted corrupt duplicated aborted aborts conflicts conflicted conflicting happened happens',
  'became becomes stopped stops starts started starting starved eats ate requires required expects expected unexpected unresolved',
  'terminated dies died dying kills killed screwed messed destroyed truncated empties emptied undone reverted',
  'flaky weird wrong confusing annoying useless impossible difficult hard easy faster fastest quicker better best worse worst worth',
  'unresponsive unavailable unauthorized forbidden mismatch mismatched insufficient exceeded outdated deprecated unsupported unstable',
  'forgot forgotten cancelled canceled pending disabled resets resetting installs installing uninstalling restarts restarting restarted rebooting rebooted',
  'rewrites rewrote rewriting renames renamed reboots shuts resolves resolving freaking tells told creates contains belongs comes came',
  'doubles triples sucks rocks differs depends matters helps lets makes adds writes reads sends runs opens closes ends begins builds',
  'hates loves likes thinks believes knows thought knew behaves acts feels sounds appears remains stays halts stalls stalled stalling',
);

/** Words of a search box: what an article or a manual calls things, and options spelled without their dashes. */
export const SEARCH_WORDS = wordSet(
  'file files folder folders directory directories subdirectory subdirectories recursive recursively example examples tutorial',
  'command commands cmd syntax permission permissions error errors warning warnings memory usage size sizes all multiple single',
  'last first next previous latest newest oldest recent old new hidden large larger largest big biggest small smallest empty',
  'difference differences keyboard shortcut shortcuts timeout delete remove undo revert rename change replace convert',
  'exclude include excluding including ignore specific certain several many few more most less least entire whole',
  'local remote global interactive verbose quiet dry force forced hard soft amend staged unstaged oneline squash squashed',
  'untracked uncommitted modified changed duplicate duplicates conflict conflicts history message messages branch branches commit',
  'commits tag tags repository repositories repo repos package packages dependency dependencies module modules version versions',
  'container containers image images volume volumes network networks process processes port ports line lines column columns word words',
  'character characters string strings text name names extension extensions pattern patterns regex match matches case insensitive sensitive',
  'count number numbers total sum sort sorted unique reverse order date dates time times day days week weeks month months year',
  'years hour hours minute minutes second seconds today yesterday tomorrow tonight morning evening yesterdays older newer',
  'user users group groups owner owners password passwords key keys certificate certificates connection connections host',
  'hostname address addresses server servers service services job jobs task tasks schedule scheduled background foreground',
  'environment variable variables value values argument arguments parameter parameters option options flag flags',
  'output input stdout stderr stdin stream pipe redirect log entry entries content contents data table tables row rows record records',
  'window windows pane panes session sessions tab tabs split splitting vertical horizontal vertically horizontally',
  'access space disk cpu ram usb drive partition device devices bandwidth speed performance bug bugs issue issues problem problems',
  'question questions answer answers solution solutions workaround alternative alternatives equivalent cheatsheet cheat guide howto help',
  'explain explanation explained meaning tips tricks practice practices beginner beginners list listing lists show showing display',
  'find search searching check checking create creating make making write writing read reading add adding set setting settings get',
  'copy copying move moving extract extracting compress compressing download downloading upload uploading preserve keep keeping',
  'using use used based given long short full partial relative absolute symbolic symlink symlinks link links',
  'hung zombie orphan orphaned orphans dangling unused stale cached cache running exit code status return detached merge rebase',
  'prune cleanup preview progress bar percentage percent human readable format formatted formatting color colors colored colour',
  'proxy mirror offline online insecure ssl tls ssh sudo root admin privileges silently silent simultaneously twice once between',
  'production staging environments config configuration configurations default defaults custom own same different',
  'twice parallel concurrently loop nested inside outside left right top bottom middle start end beginning',
  'trace stack dump debug debugging profile profiling coverage unit integration suite failing passing skipped skip',
  'stdin interactively prompt confirmation confirm overwrite overwriting append appending prepend truncate update updates upgrade',
  'autostart single-file one two three four five six seven eight nine ten half quarter per-user system-wide passwordless',
);

/** Everyday nouns that people give to files, branches, services and hosts. */
export const USUAL_NAMES = wordSet(
  'src source sources lib libs bin doc docs test tests spec specs build builds dist out output target public static asset assets image',
  'images img photo photos picture pictures music video videos movie movies document documents download downloads desktop backup backups',
  'archive archives note notes todo readme license changelog makefile dockerfile config configs conf script scripts tool tools log logs tmp',
  'temp cache caches data database db api app apps web www site server client frontend backend core util utils common shared',
  'main master develop development dev prod production staging stage release releases feature fix hotfix bugfix origin upstream downstream',
  'draft drafts report reports header headers body footer left right old new first second before after input result results index page',
  'pages style styles component components model models view views controller controllers route routes service services module modules',
  'package packages plugin plugins theme themes template templates example examples demo demos sample samples foo bar baz qux',
  'project projects work workspace home users user admin root worker queue proxy cache redis postgres mysql nginx apache mongo node react',
  'express vue next angular flask django requests black rich click chalk commander helmet jest mocha chai bootstrap moment passport morgan',
  'winston gulp grunt curl git vim make tree screen tmux bash zsh python ruby java rust go gateway auth login account accounts',
  'orders order products product cart payment payments billing invoice invoices mail mailer inbox monday friday january june july',
  'one two three alpha beta gamma delta red green blue apple banana orange cat dog hello world names list lists word words letter letters',
  'person people recipe recipes book books paper papers thesis chapter chapters essay essays letter resume slides presentation',
  'source dest destination stable latest canary nightly current experimental legacy vendor vendors fixtures mocks migrations schema schemas',
  'chrome firefox slack spotify zoom discord steam safari browser dashboard landing monitor metrics grafana prometheus kafka consumer producer',
  'file dir wip experiment refactor search chat crawler broker registry notifications analytics importer exporter website blog shop store portal agent bot lab labs game games',
  'intro conclusion summary story stories poem poems fruits vegetables customers ages final css js ts html sql json csv img svg font fonts locale locales',
  'staff wheel nobody daemon private deployment deployments namespace secret secrets ingress pod pods ssh sshd repo repository key keys pipe socket queue ledger',
  'scheduler router parser renderer engine adapters hosts protocol header title menu sidebar navbar button form forms table modal',
);

/** Options that people write without their dashes. */
export const OPTION_WORDS = wordSet(
  'recursive recursively force forced hard soft mixed amend interactive verbose staged unstaged oneline undo all dry global multiple hidden single cached abort skip',
  'continue autosquash squash prune detach noninteractive readonly background foreground overwrite append inplace numeric descending ascending reverse count',
  'ignore include exclude only editable frozen exact peer optional quiet silent parallel timeout cancel recover revert rollback dangling orphan uninitialized',
);

/** What a search asks for: words about a command, never for it. */
export const META_WORDS = wordSet(
  'example examples tutorial tutorials syntax usage cheatsheet shortcut shortcuts explained explanation alternative alternatives tips tricks basics howto meaning',
  'permission permissions error errors problem problems issue issues question questions documentation manual guide equivalent workaround limitations performance',
  'option options flag flags switch argument arguments parameter parameters danger dangers risk risks details explain mode modes keybindings keybinding hotkeys behavior behaviour anything everywhere',
);

/** Packages that are named by everyday English. */
export const PACKAGE_NAMES = wordSet(
  'clap rails serde express requests request colors color debug async through glob sharp ink joy pug solid moment commander winston passport helmet morgan concurrently husky mocha chai next remix parcel',
  'rich click black pillow celery arrow faker poetry invoke fabric bottle dash coverage hypothesis locust attrs flask typing',
  'screen tree make patch parallel expect stress fortune file less nano unzip build-essential blender steam discord slack zip tar vim git curl wget at cron cowsay bat',
);

/** Nouns that another word before them makes a phrase of: `test data`, `web server`. */
export const HEAD_NOUNS = wordSet(
  'data modules module database databases server servers script scripts notes repo repos repository repositories image images cache caches page pages list file files folder folders',
  'config configuration settings service services account accounts project projects package packages branch branches library libraries user users key keys token tokens code environment',
  'session sessions container containers message messages table tables component components report results plan pipeline pipelines dependency dependencies version versions request requests',
  'process processes job jobs task tasks host hosts cluster clusters instance instances machine machines disk disks drive drives partition partitions log logs entry entries record records',
);

/** Where something is to run: said in a search, never the name of a package. */
export const PLATFORM_WORDS = wordSet(
  'gpu cuda cpu windows mac macos osx linux ubuntu debian fedora arm arm64 amd64 x86 x64 m1 m2 wsl raspberry android ios offline proxy',
);

/** Adjectives that name files as well: before a plural they describe. */
export const ADJECTIVE_NAMES = wordSet(
  'old new left right first last current latest stable experimental legacy public static red green blue common shared second',
);

/** English that is one slip away from a command, so that none of it is taken for a slip. */
const NEAR_COMMANDS =
  'gist gift gut got bit hit lit pit wit kit gin gig grit cab can cap cast chat coat eat fat hat mat oat pat rat sat vat bat cart scat act us cod cad arm ram rim rum harm cop cup mane many main mean moan fan men mad may van ban pan ran tan ' +
  'tops tip tap tope too toe ton tow toy hop mop pop him dim whim via vie lake fake male mare mate maze maker fine fins fin kind bind hind sot sore short fort heat heal bead dead tall nail rail sail jail hail bail trail dat late gate rate fate dare tie dime lime ' +
  'tide tile timer three lens loss bless moe mole core bore fore wore tough couch batch hatch witch why fee flee nod nose docket locker pin ring wing pine pink ill hill mill pill skill kiln rest ear lear exist best nest pest west text tent typo tape waist bait yet eyes spit ' +
  'trip stripe past pasta taste coin loin book hook took lost fast mast vast seize side steep sheep scree ghost hose ling sink wink impart into mound rice dice mice niece pen white gum sun hum some envy pearl peril rub god barn yawn yard tart bar far jar tear bed fed led wed used seed ' +
  'awake grip greed cur cure hurl cone cope coder dub aid bid hid lid rid old sub tea fond ford sold told mold oval expert dash has ash mash lash rash heap focal vocal hist cue dirty pasted tin din bin win sin nit net nut not sad sand sent send dot den log lag leg lug nap tag tug mug ' +
  'mud hub hut hug run rug rag ray ski spy sly sob soda soap sore pose hose rose nose dose lose role mole hole pole cool fool wool pool loop hoop coop warm worn torn horn corn born sworn swan swap clap flap slap slip flip clip chip ship whip trim prim brim grim skim slim swim shin thin chin twin spin skin ' +
  'mom dad bro sis bud pal mate fam yolo ping pong king';

const VERBS =
  'accept access achieve act adapt add adjust agree allow analyze annotate answer appear append apply approve archive argue arrange ask assign assume attach ' +
  'avoid back backup be become begin believe benchmark bind block boot break bring browse build bump buy calculate call cancel capture care carry catch change ' +
  'check choose clarify clean cleanup clear clone close collect combine come comment commit compare compile complete compress compute configure confirm connect ' +
  'consider contain continue convert copy correct cost count cover crash create cut debug decide declare decode decompress decrease deduplicate define delete deploy describe detach register enroll ' +
  'design detect develop disable discard discuss display divide do document double download draft draw drive drop duplicate eat edit eliminate email emit enable encode encrypt end ' +
  'ensure enter estimate evaluate examine exclude execute exist exit expand expect explain explore export express extend extract fail feel fetch figure fill filter ' +
  'find finish fit fix flatten focus fold follow force forget format forward free freeze generate get give go grab group grow guess guide handle hang happen hate have hear help ' +
  'hide highlight hold hope hunt identify ignore implement import improve include increase indent inform initialise initialize inline insert inspect install integrate invent invert ' +
  'investigate invite iterate join judge jump keep kill know label lack land last launch lead learn leave lend let lift like limit link lint list listen live load lock log ' +
  'look loop lose love lower make manage map mark match mean measure merge mention migrate mind minify miss mix mock modify monitor move multiply name navigate need normalize note ' +
  'notice notify obtain offer open optimize order organize outline output overwrite own pack paint parse pass paste patch pause pay perform pick ping pipe place plan ' +
  'play plot point polish pop populate port post practice predict prefer prepare press prevent preview print probe process produce profile propose protect prove provide prune publish pull ' +
  'purge push put query question quit quote raise reach react read realize rebase reboot rebuild recall receive recommend record recover recreate redo reduce refactor refer reflect refresh refuse ' +
  'regenerate reinstall reject relate release reload rely remain remember remind remove rename render reorder repair repeat rephrase replace reply report reproduce request require reset resize resolve ' +
  'respond restart restore restructure retry return reuse revert review revise revisit rewrite roll rotate round run save say scale scan schedule scrape search see select send separate ' +
  'serve set share shift ship shorten show shrink shut sign simplify simulate sing sit skip sleep slow solve sort sound speak specify speed spell spend split squash stage stand ' +
  'start state stay stop store stream strip structure study submit subtract suggest sum summarize supply support suppose swap switch sync take talk teach tell test thank think throttle throw tidy tie ' +
  'toggle touch trace track trade train transfer transform translate travel treat trigger trim troubleshoot truncate trust try tune turn type understand undo uninstall unpack unzip update upgrade upload use ' +
  'validate verify view visit visualize wait wake walk want warn wash waste watch wear win wipe wish wonder work worry wrap write zip wire dump shuffle vacuum hack cook bake order lint';

const NOUNS =
  'ability account action address advice age agenda air algorithm alias answer app apple area argument array art article attempt audience author authentication automation average background bag ball band ' +
  'bandwidth bank base bash basics battery beach beginner benefit bill binary bird bit blog board boat body bone book border boss bottle bottom box boy brain branch bread breakfast breath brother browser bucket budget buffer ' +
  'bug bus business button byte cake calendar camera capital car card career cart cash cat category cause cell center chain chair challenge chance change chapter character chart chat child children choice christmas city class client clock cloud club code coffee ' +
  'coin collection color column comment community company competition complexity component computer concept concern condition config connection constant container content contract control conversation cookie copy core corner cost country ' +
  'couple course cover credit crime cron css csv culture cup currency customer cycle dad data database date datetime daughter day deadline deal death debt decision default definition degree demand department dependency deployment depth design desk ' +
  'detail developer device diagram dictionary difference dinner direction director directory disk distance doctor document documentation dog dollar domain door doubt dream drink driver duplicate duration earth economy edge editor education effect effort egg election ' +
  'element email emoji encryption end energy engine english entry environment error escape euro evening event evidence example exception exercise expense experience expert explanation expression extension eye face fact factor failure family fan fashion father ' +
  'feature fee feedback field fight figure file film filter fire firewall fish flag floor flow flower folder font food foot football form format formula framework friend fruit fun function future game garbage garden gas gateway gender generation genre ' +
  'gift girl glass goal god gold government grammar grass graph grass grid ground group growth guest guide guitar guy habit hair hand handler hardware hash head header health heap heart heat height history hobby hole holiday home homework hook hope horse hospital hotel hour house ' +
  'human hundred husband ice icon idea identity image impact index industry info information injection input inside instance instruction insurance integer interest interface internet interview introduction investment island issue item job joke journey judge key keyboard kid kilometer kind king kitchen ' +
  'knowledge lack lake lambda land language laptop lane law lawyer layer leader leak leap lecture leg length lesson letter level library license life light limit line link list literature load location lock log logic loop loss love luck lunch machine magazine mail manager manual map mark market marriage ' +
  'math matrix matter meal meaning measure meat media meeting member memory message metal method microphone middle migration mile milk million mind minute mirror mistake model module moment money monitor month mood moon morning mother mouse mouth movie music name nation nature network news newspaper ' +
  'night noise note notebook nothing notification number object ocean office oil operation opinion option orange order organization origin outcome outline output overview owner package page pain paint pair pane panel paper paragraph parameter parent park parser part partner party password path pattern payment peace ' +
  'pen people percent percentage performance period permission person phone photo phrase piano picture piece pipeline pizza place plan plane planet plant platform player pleasure plugin plural poem poet poetry point pointer police policy politics pool position potato pound power prefix present president price priority prison ' +
  'problem procedure process processor product production profile profit program programmer programming progress project promise prompt proof property protocol proxy purpose python quality quarter queen query question queue quote race radio rain range rate ratio reaction reader reality reason receipt recipe record recursion ' +
  'reference regex region regression relation relationship release religion rent reply report repository request research resource response restaurant result review revolution reward rhythm rice ring risk river road robot rocket role roof room root route row rule runtime rust safety salad salary sale salt sandwich schedule ' +
  'schema school science scope score screen screenshot script sea search season seat second secret section sector security sense sentence sequence series server service session set settings sex shape share shell ship shirt shoe shop shortcut shot shoulder side sign signal sister site situation size skill skin sky sleep snippet snow ' +
  'society socket software soil solution son song soup source space speech speed spelling sport spring sql stack staff stage standard star statement station status step stock stone storage store story stranger strategy stream street stress string structure student style subject substring success sugar suggestion summary summer sun support surface surgery ' +
  'surprise symbol syntax system table tag talk target task taste tax tea teacher team technique technology telephone temperature template term terminal territory test text thanks theme theory thing thought thousand thread ticket time timeout timestamp timezone tip title token tool tooth top topic total tour town track tradition traffic train ' +
  'translation transport trash traversal tree trick trip trouble truck truth tuple turn tutorial type typescript uncle uniform union unit universe university url usage user vacation value variable variation vegetable vehicle version video view village violence virus visit vocabulary voice volume vulnerability wall war warehouse warning waste water wave way weakness ' +
  'wealth weapon weather web website wedding week weekend weight whitespace wife wind window wine winner winter wisdom wish woman wood word work worker workflow world worst writer year yesterday yoga youth zone sale france germany berlin paris london tokyo docs vulnerabilities reminder reminders netflix email emails';

const ADJECTIVES =
  'able absolute active actual additional afraid alive angry annual asleep available average awake aware awesome awful bad basic beautiful best better big bitter black blank blind blue bold boring brave brief bright brilliant broad broken brown busy calm careful certain cheap ' +
  'clean clear clever close cold comfortable common complete complex confident confused constant cool correct crazy creative critical cruel curious current cute daily dangerous dark dead deaf dear decent deep delicious dense different difficult direct dirty double dry due dull early easy economic efficient eight ' +
  'elegant eleven empty endless entire equal essential even evil exact excellent exciting expensive extra extreme fair familiar famous fancy far fast fat favorite few final fine firm first five flat flexible former forty four free frequent fresh friendly full funny general gentle glad global good gorgeous gray great green half handsome happy hard ' +
  'healthy heavy helpful high honest hot huge hungry ideal ill important impossible incorrect incredible independent initial inner innocent interesting internal invalid kind large last late latest lazy least left legal less likely little local lonely long loose loud low lucky mad main major many massive max mean medium mental military minimal minor missing mobile ' +
  'modern more most much multiple musical narrow nasty native natural nearby neat necessary negative nervous new next nice nine normal obvious odd offline official old once online open opposite optional ordinary original other outer outside overall own pale parallel particular past patient perfect permanent personal physical pink plain pleasant polite political poor popular positive possible ' +
  'potential powerful pretty previous primary private probable proper proud public pure purple quick quiet quite random rare raw ready real recent red redundant regular relative relevant reliable remote responsible rich ridiculous right rough round royal rude sad safe same scared second secret secure senior sensible sensitive separate serious seven several shallow sharp short ' +
  'shy sick significant silent silly similar simple single six slight slow small smart smooth sober social soft solid sorry special specific spicy stable static steep strange strict strong stupid subtle successful such sudden sufficient suitable super sure sweet swift tall ten terrible third thirsty three tight tiny tired top total tough toxic true twelve twenty twice two typical ugly ' +
  'ahead leftover numeric ascending descending detached permanent editable unable undefined unhappy unique universal unknown unnecessary unusual upset urgent useful useless usual vague valid various vast verbose visible warm weak weird wet white whole wide wild wise wonderful wooden worried worse worth wrong yellow young zero almost alone actually basically exactly finally hopefully honestly otherwise rather somehow therefore today tomorrow tonight together';

/** What people say to each other in one word: answers, thanks, calls of joy. */
export const REPLIES = wordSet(
  'yes yeah yep yup ya yo y no nope nah n ok okay okey k kk sure fine great good nice cool awesome perfect excellent amazing wow wonderful brilliant lovely sweet',
  'thanks thank thx ty tysm cheers please pls plz sorry oops ups ugh hmm hm huh eh ah oh uh um hey hi hello hallo howdy bye goodbye ciao cya gg gn gm np nvm lol lmao rofl haha hehe lmfao omg wtf idk imo',
  'continue proceed next again retry undo redo stop cancel abort done agreed correct right exactly indeed absolutely definitely maybe perhaps probably never always both neither either none',
  'all everything nothing something interesting beautiful bravo congrats congratulations welcome damn shit fuck crap yay hooray hurray bingo boo meh lgtm wip tbh afaik brb afk btw ready finished go',
  'what why how when where who which whatever same skip later wait more less first second third last former latter option false',
  'yea yess yesss noo nooo okk okkk thnx tnx thnks tks tx wat wut pwease plox',
);

const VOCABULARY: ReadonlySet<string> = new Set([
  ...wordSet(NEAR_COMMANDS, VERBS, NOUNS, ADJECTIVES),
  ...OPTION_WORDS,
  ...META_WORDS,
  ...REPLIES,
  ...FUNCTION_WORDS,
  ...STATE_WORDS,
  ...SEARCH_WORDS,
]);

/** Verbs, in the form that begins a request. */
export const IMPERATIVES = wordSet(VERBS);

const IRREGULAR: ReadonlyArray<readonly [ending: RegExp, replacements: readonly string[]]> = [
  [/ies$/, ['y']],
  [/ied$/, ['y']],
  [/es$/, ['', 'e']],
  [/s$/, ['']],
  [/(ed|ing|er|est|ers)$/, ['', 'e']],
  [/(.)\1(ed|ing|er|est|ers)$/, ['$1']],
  [/ily$/, ['y']],
  [/(ly|ness|ment|ments|able|ful|less)$/, ['', 'e']],
  [/(ation|ations|ion|ions)$/, ['', 'e']],
];

/** Words of quality, which describe and name nothing. */
export const QUALITIES = difference(wordSet(ADJECTIVES), [wordSet(NOUNS), USUAL_NAMES]);

/** `gracefully`, `looping`, `locked`: how something happens. */
export function isManner(word: string): boolean {
  return (
    (/ly$/.test(word) &&
      word.length > 5 &&
      !/^(monthly|weekly|nightly|hourly|yearly|assembly|family|supply|bodily|italy)$/.test(word)) ||
    (/(ing|ed)$/.test(word) && isEnglish(word) && !VOCABULARY.has(word))
  );
}

/** Endings that only words of a language have. */
const ENGLISH_ENDING =
  /(tion|tions|sion|sions|ment|ments|ness|ity|ities|ance|ence|able|ible|ful|ous|ously|ology|ically|izing|ising|ization|ingly|edly)$/;

/** Tells whether a word in small letters is everyday English, in one of its usual forms. */
export function isEnglish(word: string): boolean {
  if (VOCABULARY.has(word)) return true;
  if (word.length < 4) return false;
  if (word.includes('-')) return word.split('-').every((part) => part.length === 1 || isEnglish(part));
  if (word.length > 7 && ENGLISH_ENDING.test(word)) return true;
  const prefixed = /^(?:un|re|non|mis|over|pre)([a-z]{4,})$/.exec(word)?.[1];
  if (prefixed !== undefined && isEnglish(prefixed)) return true;
  return IRREGULAR.some(([ending, replacements]) => {
    if (!ending.test(word)) return false;
    return replacements.some((replacement) => {
      const stem = word.replace(ending, replacement);
      return stem.length > 1 && VOCABULARY.has(stem);
    });
  });
}

/** `don't`, `it's`, `docker's`: an apostrophe that belongs to a word. */
export const CONTRACTION = /^[\p{L}\d.]+[’'](t|s|re|ve|ll|d|m)$/iu;
