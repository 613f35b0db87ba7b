# SPDX-License-Identifier: Apache-2.0
# French cadastre: downloads from Etalab (GeoJSON, shapefile), PCI in EDIGEO, and the
# roads and buildings of BD TOPO that are often used with it.  Streets have no parcel:
# in the cadastre alone they are the gaps between parcels.
[profile]
name=fr-cadastre
title=French cadastre (Etalab, PCI, BD TOPO)
unmatched=ignore
country=-5.3 41.3 9.7 51.2
crs=EPSG:2154 100000 6000000 1250000 7150000;EPSG:3942 1050000 1080000 2250000 1320000;EPSG:3943 1050000 2080000 2250000 2320000;EPSG:3944 1050000 3080000 2250000 3320000;EPSG:3945 1050000 4080000 2250000 4320000;EPSG:3946 1050000 5080000 2250000 5320000;EPSG:3947 1250000 6080000 2250000 6320000;EPSG:3948 1050000 7080000 2250000 7320000;EPSG:3949 1050000 8080000 2250000 8320000;EPSG:3950 1050000 9080000 2250000 9320000

[rule buildings]
layers=batiment_id;cadastre*batiments;bati_indifferencie;bati_industriel;bati_remarquable;construction_legere
geometry=area
class=building

[rule buildings by name]
layers=batiments;batiment
geometry=area
class=building
proof=no

[rule roads by name]
layers=route*
drop=position_du_sol<0;pos_sol<0;position_par_rapport_au_sol<0;etat_de_l_objet=En projet|En construction
class=road
width=6
width-attribute=largeur;largeur_de_chaussee
proof=no

[rule roads with a width]
layers=troncon_de_route*;troncons_de_route*;tronroute*;cadastre*tronroute*;zoncommuni*;cadastre*zoncommuni*
drop=position_du_sol<0;pos_sol<0;position_par_rapport_au_sol<0;etat_de_l_objet=En projet|En construction
class=road
width=6
width-attribute=largeur;largeur_de_chaussee

[rule parcels]
layers=parcelle_id;cadastre*parcelles;tronfluv*;tsurf*;plan_d_eau*;surface_hydrographique*;zone_de_vegetation*;piste_d_aerodrome
geometry=area
class=other

[rule ground by name]
layers=parcelles;parcelle;cimetiere;terrain_de_sport
geometry=area
class=other
proof=no

[rule not on the ground]
layers=communes;commune*;cadastre*communes;sections;section*;cadastre*sections;feuilles;cadastre*feuilles;lieux_dits;lieudit*;cadastre*lieux_dits;prefixes_sections;cadastre*prefixes_sections;subdivisions_fiscales;cadastre*subdivisions_fiscales;subdsect*;subdfisc*;borne*;croix*;numvoie*;symblim*;tline*;tpoint*;ptcanv*;boulon*;charge*
class=ignore
