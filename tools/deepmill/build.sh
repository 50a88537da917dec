#!/bin/sh
# Compile DeepMill, from the user's own clone, together with our engine for it.
# build.sh CLONE FOLDER: FOLDER gets the classes and a script `deepmill` that starts the engine.
set -e
clone=${1:?usage: build.sh CLONE FOLDER} folder=${2:?usage: build.sh CLONE FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
collections=${COMMONS_COLLECTIONS:-/usr/share/java/commons-collections4.jar}
[ -f "$collections" ] || {
    echo "no $collections: install libcommons-collections4-java, or set COMMONS_COLLECTIONS" >&2
    exit 2
}
mkdir -p "$folder/classes"
folder=$(cd "$folder" && pwd)
find "$clone/Mulino/src" "$clone/DeepMill/src" -name '*.java' >"$folder/sources"
javac -nowarn -encoding ISO-8859-1 -cp "$collections" -d "$folder/classes" \
    "@$folder/sources" "$here/DeepMillEngine.java"
package=it.unibo.ai.didattica.mulino.DeepMill.domain.bitboard
cat >"$folder/deepmill" <<END
#!/bin/sh
exec java -cp "$folder/classes:$collections" $package.DeepMillEngine
END
chmod +x "$folder/deepmill"
echo "$folder/deepmill"
