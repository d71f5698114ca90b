/** A variable of the manifest's own; nothing else reads it, whatever it is called. */
const OWN = /^ARG_/;

/** Families of variables that loaders, interpreters and common programs read. */
const FAMILIES =
  /^(?:LD_|DYLD_|_?JAVA|JDK|JVM|GCONV_|GLIBC|MALLOC_|GIT|PYTHON|PYENV|PIP|UV_|PERL|RUBY|GEM|BUNDLE|NODE|NPM|YARN|PNPM|DENO|BUN|BASH|ZSH|ZDOTDIR|KSH|FISH|PS\d|PHP|LUA|AWK|GAWK|TCL|R_|JULIA|ERL|ELIXIR|GUILE|GHC|OCAML|RUST|CARGO|GO[A-Z]|CGO_|DOTNET|COR_|CORECLR|COMPLUS|MONO|MSBUILD|MAKE|CMAKE|MAVEN|MVN|GRADLE|ANT_|CC$|CXX|CPP|LC_|LANG|NLS|LOC|TERM|NCURSES|SSH|DOCKER|COMPOSE|PODMAN|CONTAINER|KUBE|HELM|AWS|AZURE|ARM_|GOOGLE|GCLOUD|CLOUDSDK|GH_|GITHUB|GITLAB|CI_|CURL|WGET|SSL|OPENSSL|TLS|REQUESTS|HTTP|HTTPS|FTP|ALL_|NO_|XDG|DBUS|SYSTEMD|QT_|GTK|GDK|GIO_|WINE|ELECTRON|CHROME|ANSIBLE|TF_|VAULT|PG[A-Z]|MYSQL|SQLITE|REDIS|MONGO|ORACLE|ODBC|EMACS|VIM|LESS|MORE|MAN[A-Z]|GREP|FZF|RIPGREP|TAR_|GZIP|ZIP|RSYNC|CVS|SVN|HG|FORGE?_|SUDO|COMSPEC|APPDATA|PROGRAM|SYSTEM|USER|WIN)/;

/** Words that say that something else reads the variable, and does more with it than look at it. */
const WORDS =
  /(?:^|_)(?:ARGS|BIN|CA|CERT|CERTS|CLASSPATH|CMD|CODE|COMMAND|CONF|CONFIG|CREDENTIALS|DIR|DIRS|DSN|EDITOR|ENDPOINT|ENV|EXEC|EXECUTABLE|FILE|FLAGS|HANDLER|HOME|HOOK|HOOKS|HOST|HOSTS|INCLUDE|INIT|KEY|LIB|LIBRARY|LIBS|LOADER|MODULE|MODULES|OPTIONS|OPTS|PAGER|PASSWORD|PATH|PATHS|PLUGIN|PLUGINS|PRELOAD|PREFIX|PROFILE|PROGRAM|PROXY|RC|REGISTRY|ROOT|RUNNER|SCRIPT|SECRET|SERVER|SHELL|SOCK|SOCKET|SOURCE|STARTUP|TOKEN|TOOL|TMP|URI|URL|WRAPPER)(?:_|$)/;

/** Single words that programs look at. */
const ALONE =
  /PATH|SHELL|PROXY|PAGER|EDIT|OPTS|OPTIONS|FLAGS|HOME|PRELOAD|CONFIG|RC$|^(?:ENV|IFS|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|TMP|TEMP|TMPDIR|PWD|OLDPWD|LOGNAME|HOSTALIASES|TZ|TZDIR|PROMPT_COMMAND|INPUTRC|POSIXLY_CORRECT|OS|DISPLAY|MAIL|COLUMNS|LINES|RES_OPTIONS|HISTFILE|FCEDIT|COPYFILE_DISABLE|FPATH|CDPATH|GLOBIGNORE|EXECIGNORE|OPTARG|OPTIND|UID|EUID|RANDOM|SECONDS)$/;

/** Why an argument may not fill a variable of this name; null when it may. */
export function variableProblem(name: string): string | null {
  const known = name.toUpperCase();
  if (OWN.test(known)) return null;
  if (FAMILIES.test(known) || WORDS.test(known) || ALONE.test(known))
    return `programs read the variable ${name} themselves, and it may decide what runs or where a secret goes`;
  return null;
}

/** Names of small letters that shells and programs know all the same. */
const KNOWN_SMALL = /path$|proxy$|^(?:ifs|argv|psvar|prompt\w*|ps\d|histchars|shell|term|home|user)$/;

/** The same for a variable of a shell's own code, which no program reads unless it is exported; those of small letters hardly ever are. */
export function shellVariableProblem(name: string): string | null {
  return /^[a-z][a-z0-9_]*$/.test(name) && !KNOWN_SMALL.test(name) ? null : variableProblem(name);
}
